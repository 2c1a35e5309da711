import { UsageError } from "../../kit/text/errors.js";
import { valueText } from "../../model/variable.js";
import { readSettings } from "../../tasks/settings/resolve-settings.js";
import type { SourceFlags } from "../../tasks/settings/setting-table.js";
import type { OpenOptions } from "../../tasks/sources/open-source.js";
import { readValues } from "../../tasks/sources/read-values.js";
import { type Context, printRaw } from "../output/context.js";

export interface GetOptions extends Pick<OpenOptions, "cache" | "offline"> {
  names: string[];
  /** Whether a newline follows the last value. */
  newline: boolean;
  /** Whether a NUL ends each value, in place of newlines. */
  null: boolean;
}

/**
 * Prints the values, all or none: stdout stays empty unless every name has a value.
 *
 * @throws as `readValues`; UsageError for a NUL in a value that a NUL would end
 */
export async function runGet(
  { names, newline, null: endsWithNul, ...options }: GetOptions,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const values = await readValues(names, readSettings(flags, context), context, options);
  const texts = values.map(valueText);
  if (endsWithNul) refuseNul(names, texts);
  const end = endsWithNul ? "\0" : "\n";
  printRaw(context, {
    json: Object.fromEntries(names.map((name, index) => [name, values[index]])),
    text: texts.join(end) + (newline ? end : ""),
  });
}

function refuseNul(names: readonly string[], texts: readonly string[]): void {
  const holders = names.filter((_name, index) => texts[index]?.includes("\0"));
  if (holders.length > 0)
    throw new UsageError(
      `with --null, no value may contain a NUL character: ${holders.join(", ")}`,
    );
}
