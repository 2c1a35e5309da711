import { Command } from "commander";
import { NotFoundError } from "../../domain/errors.js";
import type { VariableSource } from "../../domain/source.js";
import type { JsonValue } from "../../domain/variable.js";
import { valueText } from "../../domain/variable.js";
import { type Context, withSource } from "../context.js";
import { createDecrypt, type Decrypt } from "../decryption.js";
import { missingNamesError } from "../missing-names.js";
import { addSourceOptions } from "../source-options.js";

export interface GetOptions {
  names: string[];
  /** Whether a newline follows the last value. */
  newline: boolean;
}

export function getCommand(context: Context): Command {
  const command = new Command("get")
    .summary("print the values of variables")
    .description("Print values, one a line, in the order asked: texts as they are, anything else as compact JSON.")
    .argument("<name...>", "names of variables")
    .option("-n, --no-newline", "leave out the last newline")
    .addHelpText("after", '\nExample:\n  DATABASE_URL="$(appvars get DATABASE_URL)"')
    .action((names: string[], { newline, ...flags }) =>
      withSource(context.openSource(flags), async (source) =>
        runGet({ names, newline }, source, await createDecrypt(flags, context), context),
      ),
    );
  return addSourceOptions(command);
}

/**
 * All or nothing: stdout stays empty unless every name has a value.
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
