import { durationText } from "../../domain/duration-text.js";
import { isLoopback } from "../loopback.js";
import { type Finding, ok, problem, skipped, warning } from "./finding.js";
import type { CertificateFacts } from "./read-certificate.js";

const SOON_MS = 14 * 86_400_000;

const UNKNOWN_AUTHORITY = "name the file with the certificate of its authority with --ca-file (APPVARS_CA_FILE)";

/** What Node's codes say, and what to do. */
const REFUSALS: Record<string, [message: string, fix: string]> = {
  CERT_HAS_EXPIRED: ["a certificate of its authority has expired", "renew the chain of certificates on the server"],
  CERT_NOT_YET_VALID: ["a certificate of its authority is not valid yet", "set this machine's clock"],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "the certificate is for another host name",
    "use the host name that it is for, or have one made for this",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["the certificate is self-signed, and not trusted here", UNKNOWN_AUTHORITY],
  SELF_SIGNED_CERT_IN_CHAIN: ["the certificate is of an authority that is not trusted here", UNKNOWN_AUTHORITY],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["the certificate is of an authority that is not known here", UNKNOWN_AUTHORITY],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["the certificate is of an authority that is not known here", UNKNOWN_AUTHORITY],
};

/**
 * Whether the server's certificate is good, and for how long yet.
 *
 * @param now Unix time in milliseconds
 */
export function checkTls(url: string, certificate: CertificateFacts | undefined, now: number): Finding {
  if (url.startsWith("http:")) return withoutTls(url);
  if (!certificate) return skipped("no TLS connection came about: see reachability");
  const { validFrom, validTo, refusal } = certificate;
  const last = day(validTo);
  if (validTo <= now) return problem("unreachable", `the certificate expired on ${last}`, "renew it on the server");
  if (validFrom > now) {
    return problem("unreachable", `the certificate is not valid before ${day(validFrom)}`, "set this machine's clock");
  }
  if (refusal) {
    const [message, fix] = REFUSALS[refusal] ?? [`the certificate is refused (${refusal})`, UNKNOWN_AUTHORITY];
    return problem("unreachable", message, fix);
  }
  if (validTo - now >= SOON_MS) return ok(`the certificate is trusted, and valid until ${last}`);
  return warning(`the certificate expires in ${durationText(validTo - now)}, on ${last}`, "renew it on the server");
}

function withoutTls(url: string): Finding {
  const { hostname } = new URL(url);
  if (isLoopback(hostname)) return skipped("the URL begins with http:, on this machine alone");
  return warning(`what ${hostname} sends can be read on the way: there is no TLS`, "serve it with TLS, and use https:");
}

function day(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
