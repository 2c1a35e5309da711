import { ROUTES } from "../../domain/routes.js";
import type { RemoteSettings } from "../source-settings.js";
import { isAppvars, skewOf } from "./health.js";
import { otherScheme } from "./other-scheme.js";
import { failureCode, type Outcome, type Probe, withProbe } from "./probe.js";
import { type CertificateFacts, readCertificate } from "./read-certificate.js";
import { type CredentialTrials, tryCredentials } from "./try-credentials.js";

/** Seconds for one request: whoever asks what is wrong does not want to wait for it. */
const LONGEST_TIMEOUT_S = 5;

/** With these nobody is there to speak to in another way. */
const NOBODY_THERE = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"];

/** What was measured of a server. */
export interface RemoteFacts {
  /** What came of asking for its health. */
  health: Outcome;
  /** Whether it speaks TLS where the URL says http, or does not where it says https. */
  speaksOtherScheme: boolean;
  /** Undefined where no TLS connection came about. */
  certificate: CertificateFacts | undefined;
  /** How far this machine's clock is ahead of its, in milliseconds. */
  skew: number | undefined;
  /** Undefined where there were none to try, or nobody to try them with. */
  trials: CredentialTrials | undefined;
}

export interface RemoteAccess {
  settings: RemoteSettings;
  apiSecret: string | undefined;
  /** PEM certificates. */
  ca: string | undefined;
}

/** Asks the server, each thing once. Never rejects for what it finds. */
export function gatherRemoteFacts(access: RemoteAccess, clock: () => number): Promise<RemoteFacts> {
  const { settings, ca } = access;
  const timeout = Math.min(settings.timeout, LONGEST_TIMEOUT_S);
  const origin = new URL(settings.url);
  return withProbe({ origin, timeout, ca }, clock, async (probe) => {
    const isTls = origin.protocol === "https:";
    const [health, certificate] = await Promise.all([
      probe(ROUTES.health),
      isTls ? readCertificate(origin, ca, timeout) : undefined,
    ]);
    const mayBeOther = !isAppvars(health) && !NOBODY_THERE.includes(failureCode(health) ?? "");
    const speaksOtherScheme = mayBeOther && !certificate && (await speaksOther(origin, timeout, clock));
    const skew = skewOf(health);
    return { health, speaksOtherScheme, certificate, skew, trials: await tryIfFit(access, probe, health, clock) };
  });
}

async function speaksOther(origin: URL, timeout: number, clock: () => number): Promise<boolean> {
  const other = otherScheme(origin);
  if (other.protocol === "https:") return (await readCertificate(other, undefined, timeout)) !== undefined;
  const outcome = await withProbe({ origin: other, timeout }, clock, (probe) => probe(ROUTES.health));
  return "response" in outcome;
}

/** Credentials are sent to nothing but what looks like appvars. */
async function tryIfFit(
  { settings, apiSecret }: RemoteAccess,
  probe: Probe,
  health: Outcome,
  clock: () => number,
): Promise<CredentialTrials | undefined> {
  const { auth, apiKey } = settings;
  if (!apiSecret || !isAppvars(health) || (auth === "headers" && !apiKey)) return undefined;
  return tryCredentials(probe, { auth, apiKey, apiSecret, clock, skew: skewOf(health) ?? 0 });
}
