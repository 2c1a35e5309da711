import { createHash, hkdfSync } from "node:crypto";
import { InvalidDataError, UsageError } from "../../kit/text/errors.js";

/** The length of a key's id, in bytes. */
export const ID_BYTES = 8;

/** A key that seals a store or a data file: one line of a key file. */
export class SealKey {
  readonly #line: string;
  /** Reveals nothing about the key. */
  readonly id: Buffer;

  constructor(line: string) {
    this.#line = line;
    const id = createHash("sha256").update(this.derive("", "appvars store v2 key id"));
    this.id = id.digest().subarray(0, ID_BYTES);
  }

  /** Derives a key of 32 bytes by HKDF-SHA256 (RFC 5869). */
  derive(salt: string | Buffer, use: string): Buffer {
    return Buffer.from(hkdfSync("sha256", this.#line, salt, use, 32));
  }
}

/**
 * Parses seal keys, one per line. The first key seals, and all keys open.
 *
 * @throws UsageError
 */
export function parseSealKeys(content: string): readonly [SealKey, ...SealKey[]] {
  const lines = keyLines(content);
  if (lines.some((line) => !/^\S{32,}$/.test(line)))
    throw new UsageError(
      "each seal key must have 32 or more characters without spaces, such as " +
        "the output of: openssl rand -hex 32",
    );
  const [first, ...others] = lines.map((line) => new SealKey(line));
  if (first === undefined) throw new UsageError("there is no seal key");
  return [first, ...others];
}

export function firstKey(content: string): string {
  return keyLines(content)[0] ?? "";
}

function keyLines(content: string): string[] {
  return content.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/** @throws InvalidDataError without a subject */
export function findSealKey<T extends Pick<SealKey, "id">>(keys: readonly T[], id: Buffer): T {
  const sealKey = keys.find((key) => key.id.equals(id));
  if (!sealKey) throw new InvalidDataError("is sealed with a key that is not among the seal keys");
  return sealKey;
}
