import { NotFoundError, orUndefined } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { MAX_LIMIT } from "../../model/page.js";
import type { VariableReader } from "../../model/read.js";
import type { ValueContent } from "../../model/variable.js";
import type { Settings } from "../settings/resolve-settings.js";
import type { Caller } from "../surroundings.js";
import { createDecrypt } from "./decryption.js";
import { type OpenOptions, openSource, withSource } from "./open-source.js";

/**
 * Reads the values of variables, in the order of the names.
 *
 * @throws NotFoundError that names each one without a value, DecryptionError
 */
export async function readValues(
  names: readonly string[],
  settings: Settings,
  caller: Caller,
  options: Pick<OpenOptions, "cache" | "offline">,
): Promise<JsonValue[]> {
  return withSource(openSource(settings, caller, options), async (source) => {
    const decrypt = await createDecrypt(settings);
    // One read needs no snapshot.
    const isOne = names.length === 1;
    const stored = await (isOne
      ? getContents(names, source)
      : source.readSnapshot((all) => getContents(names, all)));
    return names.map((name, index) => decrypt(name, stored[index]?.value ?? null));
  });
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

/** Creates the error for names without a value, with the names that were likely meant. */
export async function missingNamesError(
  names: readonly string[],
  reader: VariableReader,
): Promise<NotFoundError> {
  // A suggestion is not worth a long list, or another failure.
  const page = await reader.listVariables({ limit: MAX_LIMIT }).catch(() => undefined);
  return new NotFoundError(
    await describeMissing(names, page?.data.map((variable) => variable.name) ?? []),
  );
}

/**
 * Describes names without a value, with suggestions.
 *
 * @param variables the names of all variables of the environment
 */
export async function describeMissing(
  names: readonly string[],
  variables: readonly string[],
): Promise<string> {
  const { suggestion } = await import("../../kit/text/nearest.js");
  const described = names.map((name) => {
    if (variables.includes(name)) return `"${name}" has no value in this environment`;
    return `there is no variable "${name}"${suggestion(name, variables)}`;
  });
  return described.join("; ");
}
