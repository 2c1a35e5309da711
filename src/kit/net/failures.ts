/** Advice on a failure, where it depends on the peer. */
export interface Hints {
  readonly refused?: string | undefined;
  readonly reset?: string | undefined;
  /** The peer speaks no TLS. */
  readonly plain?: string | undefined;
  /** The authority of its certificate is unknown. */
  readonly untrusted?: string | undefined;
  /** The peer requires a client certificate that it trusts. */
  readonly required?: string | undefined;
}

type Failure = readonly [reason: string, kind?: keyof Hints | "invalid" | "protocol"];

const UNKNOWN_AUTHORITY: Failure = ["its certificate is from an unknown authority", "untrusted"];

/** Failures by their codes, which come from the system, Node.js or OpenSSL. */
const FAILURES: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: ["connection refused", "refused"],
  ECONNRESET: ["the connection was reset", "reset"],
  ENOTFOUND: ["no such host"],
  EAI_AGAIN: ["its name can't be looked up now: no DNS server answers, or all of them fail"],
  EPROTO: ["it does not speak TLS", "plain"],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is self-signed", "untrusted"],
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: ["its certificate is for another host", "invalid"],
  CERT_HAS_EXPIRED: ["its certificate has expired", "invalid"],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", "invalid"],
  HPE_HEADER_OVERFLOW: ["it sends too many headers", "protocol"],
};

/** OpenSSL's text of an alert about a certificate (RFC 8446, appendix B.2). */
const CERTIFICATE_ALERT = /SSL alert number (?:4[234568]|116)\b/;

/** Explains why there is no answer: `connection refused; is the server running?` */
export function reasonOf(error: unknown, hints: Hints = {}): string {
  const [reason, kind] = failureOf(error);
  const hint = hints[kind as keyof Hints];
  return hint === undefined ? reason : `${reason}; ${hint}`;
}

/** Whether the TLS settings of the client or the peer are wrong. */
export function isTlsFailure(error: unknown): boolean {
  return ["plain", "untrusted", "required", "invalid"].includes(failureOf(error)[1] ?? "");
}

/** Whether the peer answers, but not as HTTP requires. */
export function isProtocolFailure(error: unknown): boolean {
  return failureOf(error)[1] === "protocol";
}

function failureOf(error: unknown): Failure {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (CERTIFICATE_ALERT.test(message))
    return ["it requires a client certificate that it trusts", "required"];
  if (code.startsWith("HPE_"))
    return FAILURES[code] ?? ["it does not answer with HTTP", "protocol"];
  return FAILURES[code] ?? [message];
}
