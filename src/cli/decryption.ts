import { DecryptionError } from "../domain/errors.js";
import { isEncrypted, type JsonValue } from "../domain/variable.js";
import type { Context } from "./context.js";
import type { SourceFlags } from "./settings.js";

/**
 * A value as it was before a client encrypted it, as text; any other value as it is.
 *
 * @throws DecryptionError that names the variable, when there is no key or not the right one
 */
export type Decrypt = (name: string, value: JsonValue) => JsonValue;

/**
 * Decrypts with the key that the flags and the environment give. What it takes to do so is loaded at need.
 *
 * @param withoutKey what is done with encrypted values where there is no key
 */
export async function createDecrypt(
  flags: SourceFlags,
  { io }: Context,
  withoutKey: Decrypt = refuseEncrypted,
): Promise<Decrypt> {
  const { findEncryptionKey } = await import("./read-secret.js");
  return decryptWith(await findEncryptionKey(flags, io), withoutKey);
}

/** The same with a key that is there already. */
export async function decryptWith(key: string | undefined, withoutKey: Decrypt = refuseEncrypted): Promise<Decrypt> {
  if (key === undefined) return withoutKey;
  const { decrypt } = await import("../encryption/envelope.js");
  return (name, value) => {
    if (!isEncrypted(value)) return value;
    try {
      return decrypt(value, key);
    } catch (error) {
      throw error instanceof DecryptionError ? new DecryptionError(`${name} ${error.message}`) : error;
    }
  };
}

/** For a list, which one encrypted value is not to spoil. */
export const leaveEncrypted: Decrypt = (_name, value) => value;

const refuseEncrypted: Decrypt = (name, value) => {
  if (!isEncrypted(value)) return value;
  throw new DecryptionError(`${name} is encrypted: set APPVARS_ENC_KEY, or name the key's file with --enc-key-file`);
};
