import { NotFoundError } from "../domain/errors.js";
import type { VariableSource } from "../domain/source.js";
import { type JsonValue, valueText } from "../domain/variable.js";
import type { Context } from "./context.js";
import type { Decrypt } from "./decryption.js";
import { missingNamesError } from "./missing-names.js";

export interface GetOptions {
  names: string[];
  /** Whether a newline follows the last value. */
  newline: boolean;
}

/**
 * What `get` does: all or nothing, stdout stays empty unless every name has a value.
 *
 * @throws NotFoundError that names each one that has none, DecryptionError
 */
export async function runGet(
  { names, newline }: GetOptions,
  source: VariableSource,
  decrypt: Decrypt,
  context: Context,
): Promise<void> {
  const stored = await readValues(names, source);
  const values = names.map((name, index) => decrypt(name, stored[index] as JsonValue));
  if (context.flags.json) return context.printJson(Object.fromEntries(names.map((name, i) => [name, values[i]])));
  context.print(values.map(valueText).join("\n") + (newline ? "\n" : ""));
}

async function readValues(names: readonly string[], source: VariableSource): Promise<JsonValue[]> {
  const values = await Promise.all(
    names.map((name) =>
      source.getContentByName(name).then(
        ({ value }) => value,
        (error: unknown) => {
          if (error instanceof NotFoundError) return undefined;
          throw error;
        },
      ),
    ),
  );
  const missing = names.filter((_name, index) => values[index] === undefined);
  if (missing.length > 0) throw await missingNamesError(missing, source);
  return values as JsonValue[];
}
