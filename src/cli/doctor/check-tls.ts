import { isLoopback } from "../../client/options.js";
import { durationText } from "../../domain/printable.js";
import type { CertificateFacts } from "../../http/certificate.js";
import { reasonOf } from "../../http/failures.js";
import type { RemoteSettings } from "../settings/connection.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";

const EXPIRES_SOON_MS = 14 * 86_400_000;

/** By the code of the refusal. */
const FIXES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "renew the certificate and those of its authorities on the server",
  CERT_NOT_YET_VALID: "set this machine's clock",
  ERR_TLS_CERT_ALTNAME_INVALID: "use the host name of the certificate, or get a certificate for this one",
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
    const fix = FIXES[refusal] ?? "pass the certificate of its authority with --ca-file (APPVARS_CA_FILE)";
    return problem("unreachable", reasonOf({ code: refusal, message: refusal }), fix);
  }
  const left = durationText(validTo - now);
  if (validTo - now >= EXPIRES_SOON_MS) return ok(`the certificate is trusted, and valid for ${left}, until ${last}`);
  return warning(`the certificate expires in ${left}, on ${last}`, "renew it on the server");
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
