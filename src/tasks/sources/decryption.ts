import { UsageError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { DecryptionError } from "../../model/errors.js";
import { NEEDS_SEAL_KEY } from "../../model/seal-key.js";
import { isSealedText, isUnreadable, type NamedValue, parseAs } from "../../model/variable.js";
import type { Settings } from "../settings/resolve-settings.js";

/**
 * Returns the text of a value that a client encrypted, and any other value as
 * it is.
 *
 * @throws DecryptionError that names the variable, without its key
 */
export type Decrypt = (name: string, value: JsonValue) => JsonValue;

/** Decrypts with the key of the settings or, if there is none, by `withoutKey`. */
export async function createDecrypt(
  settings: Settings,
  withoutKey: Decrypt = refuseEncrypted,
): Promise<Decrypt> {
  const key = await settings.secret("encKey");
  if (key === undefined) return withoutKey;
  const { decrypt } = await import("../../client/envelope.js");
  return (name, value) => {
    if (!isUnreadable(value)) return value;
    refuseSealed(name, value);
    return decrypt(value, key, name);
  };
}

/**
 * Encrypts strings with the key of the settings.
 *
 * @param stdin names another input from stdin
 */
export async function createEncrypt(
  settings: Settings,
  stdin?: string,
): Promise<(text: string) => string> {
  if (stdin !== undefined && settings.find("encKeyFile")?.text === "-")
    throw new UsageError(`${stdin} and the key can't both come from stdin`);
  const key = await settings.secret("encKey");
  if (key === undefined)
    throw new UsageError("--encrypt needs a key: set APPVARS_ENC_KEY, or add --enc-key-file");
  const { encrypt } = await import("../../client/envelope.js");
  return (text) => encrypt(text, key);
}

/** Leaves values encrypted, for commands that show names only. */
export const leaveEncrypted: Decrypt = (_name, value) => value;

/** Leaves values encrypted, but throws for a sealed file without its key. */
export const leaveUnlessSealed: Decrypt = (name, value) => {
  refuseSealed(name, value);
  return value;
};

const refuseEncrypted: Decrypt = (name, value) => {
  if (!isUnreadable(value)) return value;
  refuseSealed(name, value);
  throw new DecryptionError(
    `${name} is encrypted: set APPVARS_ENC_KEY, or name the key's file with --enc-key-file`,
  );
};

function refuseSealed(name: string, value: JsonValue): void {
  if (isSealedText(value)) throw new DecryptionError(`${name} ${NEEDS_SEAL_KEY}`);
}

/** Decrypts values, and parses them by their types. */
export function decryptValues<T extends NamedValue>(entries: readonly T[], decrypt: Decrypt): T[] {
  return entries.map((entry) => {
    if (!isUnreadable(entry.value)) return entry;
    return { ...entry, value: parseAs(String(decrypt(entry.name, entry.value)), entry.type) };
  });
}
