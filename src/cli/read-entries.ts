import { readAll, type VariableSource } from "../domain/source.js";
import { isEncrypted } from "../domain/variable.js";
import type { Entry } from "../formats/entry.js";
import { parseAs } from "../formats/infer-type.js";
import type { Decrypt } from "./decryption.js";

/** All values of the environment with name and type, by ascending id of the variable, and decrypted. */
export async function readEntries(source: VariableSource, decrypt: Decrypt): Promise<Entry[]> {
  const variables = await readAll((page) => source.listVariables(page));
  const values = await readAll((page) => source.listValues(page));
  const contents = new Map(values.map(({ variable_id, content }) => [variable_id, content]));
  return variables.flatMap(({ id, name, type }) => {
    const content = contents.get(id);
    if (!content) return [];
    const value = decrypt(name, content.value);
    // What was encrypted is the text of the value.
    return [{ name, type, value: isEncrypted(content.value) ? parseAs(String(value), type) : value }];
  });
}
