/** The two parts of an `Authorization: HMAC <timestamp>:<signature>` header. */
export interface HmacAuthorization {
  /** Unix time in milliseconds. */
  timestamp: number;
  /** 32 bytes. */
  signature: Buffer;
}

// 13 digits are the years 2001 to 2286. Nothing looser: credentials are not to be guessed at.
const HEADER = /^HMAC (?<timestamp>\d{13}):(?<signature>[0-9a-f]{64})$/;

export function formatAuthorization({ timestamp, signature }: HmacAuthorization): string {
  return `HMAC ${timestamp}:${signature.toString("hex")}`;
}

/** The parts of the header, or undefined when it has any other form. */
export function parseAuthorization(header: string): HmacAuthorization | undefined {
  const { timestamp = "", signature = "" } = HEADER.exec(header)?.groups ?? {};
  if (timestamp === "") return undefined;
  return { timestamp: Number(timestamp), signature: Buffer.from(signature, "hex") };
}
