import { readAll, type VariableSource } from "../domain/source.js";
import { isEncrypted } from "../domain/variable.js";
import type { Entry } from "../formats/entry.js";
import { parseAs } from "../formats/infer-type.js";
import type { Decrypt } from "./decryption.js";

/** All values of the environment with name and type, by ascending id of the variable, and decrypted. */
export async function readEntries(source: VariableSource, decrypt: Decrypt): Promise<Entry[]> {
  return (await readStoredEntries(source)).map(({ name, type, value: stored }) => {
    const value = decrypt(name, stored);
    // What was encrypted is the text of the value.
    return { name, type, value: isEncrypted(stored) ? parseAs(String(value), type) : value };
  });
}

/** The same, with encrypted values as they are stored. */
export async function readStoredEntries(source: VariableSource): Promise<Entry[]> {
  const variables = await readAll((page) => source.listVariables(page));
  const values = await readAll((page) => source.listValues(page));
  const contents = new Map(values.map(({ variable_id, content }) => [variable_id, content]));
  return variables.flatMap(({ id, name, type }) => {
    const content = contents.get(id);
    return content ? [{ name, type, value: content.value }] : [];
  });
}
