import { type Context, printRaw } from "../../cli/output/context.js";
import { NotFoundError, orUndefined, UsageError } from "../../kit/text/errors.js";
import { MAX_LIMIT } from "../../model/page.js";
import type { VariableReader } from "../../model/read.js";
import { type ValueContent, valueText } from "../../model/variable.js";
import { readSettings } from "../settings/resolve-settings.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { createDecrypt } from "./decryption.js";
import { type OpenOptions, openSource, withSource } from "./open-source.js";

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
 * @throws NotFoundError that names each one without a value, DecryptionError, UsageError for a NUL
 * in a value that a NUL would end
 */
export async function runGet(
  { names, newline, null: endsWithNul, ...options }: GetOptions,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const settings = readSettings(flags, context.io);
  const entries = await withSource(openSource(settings, context, options), async (source) => {
    const decrypt = await createDecrypt(settings);
    // One read needs no snapshot.
    const isOne = names.length === 1;
    const stored = await (isOne
      ? getContents(names, source)
      : source.readSnapshot((all) => getContents(names, all)));
    return names.map((name, index) => [name, decrypt(name, stored[index]?.value ?? null)] as const);
  });
  const texts = entries.map(([, value]) => valueText(value));
  if (endsWithNul) refuseNul(names, texts);
  const end = endsWithNul ? "\0" : "\n";
  printRaw(context, {
    json: Object.fromEntries(entries),
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

async function getContents(
  names: readonly string[],
  reader: VariableReader,
): Promise<(ValueContent | undefined)[]> {
  const contents = await Promise.all(
    names.map((name) => orUndefined(reader.answer({ kind: "content", name }))),
  );
  if (!contents.includes(undefined)) return contents;
  const missing = names.filter((_name, index) => !contents[index]);
  throw await missingNamesError(missing, reader);
}

const MAX_SUGGESTION_WAIT_MS = 1_000;

/** The error for names without a value, with the names that were likely meant. */
export async function missingNamesError(
  names: readonly string[],
  reader: VariableReader,
): Promise<NotFoundError> {
  const { setTimeout: delay } = await import("node:timers/promises");
  // One page and one second are enough: a suggestion is not worth a long list, a wait on a 429, or
  // another failure.
  const listing = reader.listVariables({ limit: MAX_LIMIT }).catch(() => undefined);
  const page = await Promise.race([
    listing,
    delay(MAX_SUGGESTION_WAIT_MS, undefined, { ref: false }),
  ]);
  return new NotFoundError(
    await describeMissing(names, page?.data.map((variable) => variable.name) ?? []),
  );
}

/**
 * Says of names without a value which variables were likely meant.
 *
 * @param known the variables of the environment
 */
export async function describeMissing(
  names: readonly string[],
  known: readonly string[],
): Promise<string> {
  const { suggestion } = await import("../../kit/text/nearest.js");
  const described = names.map((name) => {
    if (known.includes(name)) return `"${name}" has no value in this environment`;
    return `there is no variable "${name}"${suggestion(name, known)}`;
  });
  return described.join("; ");
}
