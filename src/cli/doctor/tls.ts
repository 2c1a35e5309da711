import type { CertificateFacts } from "../../client/certificate.js";
import { isLoopback } from "../../client/options.js";
import { durationText } from "../../domain/printable.js";
import type { RemoteSettings } from "../settings/connection.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

const EXPIRES_SOON_MS = 14 * 86_400_000;

const USE_CA_FILE = "pass the certificate of its authority with --ca-file (APPVARS_CA_FILE)";
const UNKNOWN_AUTHORITY = ["the certificate's authority is not known on this machine", USE_CA_FILE] as const;

/** Node's codes: what each means, and what to do. */
const REFUSALS: Readonly<Record<string, readonly [message: string, fix: string]>> = {
  CERT_HAS_EXPIRED: ["a certificate of its authority has expired", "renew the certificate chain on the server"],
  CERT_NOT_YET_VALID: ["a certificate of its authority is not valid yet", "set this machine's clock"],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "the certificate is for another host name",
    "use the host name of the certificate, or get a certificate for this one",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["the certificate is self-signed, and not trusted on this machine", USE_CA_FILE],
  SELF_SIGNED_CERT_IN_CHAIN: ["the certificate's authority is not trusted on this machine", USE_CA_FILE],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
};

/** Whether the server's certificate is trusted, and for how long it is valid. @param now Unix milliseconds */
export function checkTls(
  { url, auth }: Pick<RemoteSettings, "url" | "auth">,
  certificate: CertificateFacts | undefined,
  now: number,
): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === "http:") {
    if (isLoopback(hostname)) return skipped("not needed: the server is on this machine");
    const what = auth === "headers" ? "the API secret and all values" : "all values";
    return warning(`without TLS, ${what} can be read in transit`, "serve it with TLS, and use https:");
  }
  if (!certificate) return skipped("no TLS connection was established: see reachability");
  const { validFrom, validTo, refusal } = certificate;
  const last = day(validTo);
  if (validTo <= now) return problem("unreachable", `the certificate expired on ${last}`, "renew it on the server");
  if (validFrom > now)
    return problem("unreachable", `the certificate is not valid before ${day(validFrom)}`, "set this machine's clock");
  if (refusal) {
    const [message, fix] = REFUSALS[refusal] ?? [`the certificate is rejected (${refusal})`, USE_CA_FILE];
    return problem("unreachable", message, fix);
  }
  const left = durationText(validTo - now);
  if (validTo - now >= EXPIRES_SOON_MS) return ok(`the certificate is trusted, and valid for ${left}, until ${last}`);
  return warning(`the certificate expires in ${left}, on ${last}`, "renew it on the server");
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
