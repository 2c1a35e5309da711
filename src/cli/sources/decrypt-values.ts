import { isEncrypted, type NamedValue } from "../../domain/variable.js";
import { parseAs } from "../../formats/infer-type.js";
import type { Decrypt } from "./decryption.js";

/** Apart from what `run` needs, which passes texts on: parsing them takes the JSON parser. */
export function decryptValues<T extends NamedValue>(entries: readonly T[], decrypt: Decrypt): T[] {
  return entries.map((entry) => {
    const value = decrypt(entry.name, entry.value);
    // What was encrypted is the text of the value.
    return { ...entry, value: isEncrypted(entry.value) ? parseAs(String(value), entry.type) : value };
  });
}
