import { DecryptionError } from "../../domain/errors.js";
import { isEncrypted, type JsonValue } from "../../domain/variable.js";
import type { Settings } from "../settings/settings.js";

/**
 * Returns the text of a value that a client encrypted, and any other value as it is.
 *
 * @throws DecryptionError that names the variable, if there is no key or the wrong one
 */
export type Decrypt = (name: string, value: JsonValue) => JsonValue;

/**
 * Decrypts with the key of the settings. The code for it is loaded when there is a key.
 *
 * @param withoutKey what to do with encrypted values if there is none
 */
export async function createDecrypt(
  settings: Pick<Settings, "encryptionKey">,
  withoutKey: Decrypt = refuseEncrypted,
): Promise<Decrypt> {
  const key = await settings.encryptionKey();
  if (key === undefined) return withoutKey;
  const { decrypt } = await import("../../encryption/envelope.js");
  return (name, value) => {
    if (!isEncrypted(value)) return value;
    try {
      return decrypt(value, key);
    } catch (error) {
      throw error instanceof DecryptionError ? new DecryptionError(`${name} ${error.message}`) : error;
    }
  };
}

/** For a list, which one encrypted value must not prevent. */
export const leaveEncrypted: Decrypt = (_name, value) => value;

const refuseEncrypted: Decrypt = (name, value) => {
  if (!isEncrypted(value)) return value;
  throw new DecryptionError(`${name} is encrypted: set APPVARS_ENC_KEY, or name the key's file with --enc-key-file`);
};
