import { extname } from "node:path";
import { type ImportFormat, READERS } from "../../formats/formats.js";
import { typeEntry } from "../../formats/infer-type.js";
import { type DotenvProgram, noteRewritten } from "../../formats/reader.js";
import { MAX_INPUT, readAnyFile, readRegularFile } from "../../kit/files/read-file.js";
import { toInvalidData } from "../../kit/files/system-errors.js";
import { decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { UsageError, withSubject } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { EnvironmentRecord } from "../../model/environment.js";
import { createMatcher } from "../../model/name-matcher.js";
import { byVariableId, joinValues, namedValues } from "../../model/reads/variable-entries.js";
import { formatAs, isUnreadable, type NamedValue, valueText } from "../../model/variable.js";
import { type Data, recordsOf, variablesOf } from "../../store/data.js";
import type { Settings } from "../settings/resolve-settings.js";
import { createDecrypt, createEncrypt } from "../sources/decryption.js";
import type { Caller, Surroundings } from "../surroundings.js";

export interface ImportedFile {
  /** `-` for stdin. */
  file: string;
  /** Its name in messages. Default `file`. */
  shownAs?: string;
  format?: ImportFormat | undefined;
  /** Whose rules apply to a dotenv file. */
  program?: DotenvProgram | undefined;
  /** Whether references in a dotenv file are replaced. */
  expand?: boolean;
  /** Bytes. Allows regular files only: reading a pipe can't be stopped. */
  maxSize?: number;
}

export function formatOf(file: string): ImportFormat {
  const ending = extname(file).toLowerCase();
  if (ending === ".json") return "json";
  return ending === ".yaml" || ending === ".yml" ? "yaml" : "dotenv";
}

/**
 * @returns `what` names the file in messages; with `isText`, all values are
 *   strings
 * @throws UsageError that names the file
 */
export async function readImport(
  options: ImportedFile,
  surroundings: Surroundings,
  note: Caller["note"],
) {
  const { file, shownAs = file, format = formatOf(file), expand, program } = options;
  const what = file === "-" ? "stdin" : shownAs;
  const bytes = await readInput(options, surroundings).catch((error: unknown) => {
    throw new UsageError(`${what} ${toInvalidData(error, "can't be read").message}`);
  });
  const isText = format === "dotenv";
  const read = await READERS[format]();
  const entries = withSubject(what, () => {
    const text = decodeContent(bytes);
    const flag = program ? "--for" : expand && "--expand";
    if (flag && !isText) throw new UsageError(`${flag} is for dotenv files, not for ${format}`);
    return read(text, { note: (about) => note(`${what}: ${about}`), program, expand });
  });
  if (entries.length === 0) note(`${what} contains no variables`);
  return { what, entries, isText };
}

function decodeContent(bytes: Buffer): string {
  // A byte order mark, FE FF or FF FE, or a NUL beside a letter.
  const [first = 1, second = 1] = bytes;
  if (first + second === 0x1fd || first * second === 0)
    throw new UsageError("its content is UTF-16; save it as UTF-8");
  return decodeUtf8(bytes, "its content");
}

async function readInput(
  { file, maxSize }: ImportedFile,
  { readStdin }: Surroundings,
): Promise<Buffer> {
  if (file === "-") return readStdin(MAX_INPUT);
  if (maxSize !== undefined) return (await readRegularFile(file, maxSize)).bytes;
  return readAnyFile(file, MAX_INPUT);
}

/**
 * Gives each entry the type of its variable or, for a new one, of its value, of
 * a comment in the file, or the type that the text suggests.
 *
 * @throws UsageError that names the first variable whose value is of another
 *   type
 */
export function typeEntries(
  { what, entries, isText }: Awaited<ReturnType<typeof readImport>>,
  data: Data,
  { application }: EnvironmentRecord,
  note: (text: string) => void,
): NamedValue[] {
  const variables = variablesOf(data, application);
  const typed = withSubject(what, () =>
    entries.map((entry) => typeEntry(entry, isText, variables.get(entry.name)?.type)),
  );
  const rewritten = typed.filter(
    ({ value }, index) =>
      isText && withoutBlanks(valueText(value)) !== withoutBlanks(entries[index]?.value),
  );
  const about = (text: string) => note(`${what}: ${text}`);
  noteRewritten(rewritten, about, "; to keep a text, use the type STRING");
  return typed;
}

/** Blanks between the parts of JSON don't matter. */
function withoutBlanks(value: unknown): string {
  return String(value).replace(/\s/g, "");
}

export function currentValues(
  data: Data,
  environment: EnvironmentRecord,
  imported: readonly NamedValue[],
): NamedValue[] {
  const only = imported.map(({ name }) => name);
  const { variables, values } = recordsOf(data, { ...environment, only });
  return namedValues(joinValues(variables, byVariableId(values)));
}

/**
 * Encrypts the plain values that `--encrypt` selects. Keeps a current value
 * with the same text, so that importing a file twice changes nothing.
 *
 * @throws UsageError for a name that is not imported: a typing mistake would
 *   leave a value plain
 */
export async function createEncryption(
  { file }: ImportedFile,
  encrypt: "all" | readonly string[] | undefined,
  settings: Settings,
): Promise<
  (entries: readonly NamedValue[], current: readonly NamedValue[]) => readonly NamedValue[]
> {
  if (encrypt === undefined) return (entries) => entries;
  const toEnvelope = await createEncrypt(settings, file === "-" ? "the values" : undefined);
  const decrypt = await createDecrypt(settings);
  const wanted = createMatcher(encrypt === "all" ? ["*"] : encrypt);
  const reusable = (current: JsonValue | undefined, name: string, text: string) => {
    try {
      return isUnreadable(current) && decrypt(name, current) === text ? current : undefined;
    } catch {
      // Another key has encrypted it.
      return undefined;
    }
  };
  return (entries, current) => {
    const unmatched = encrypt === "all" ? [] : wanted.unmatched(entries.map(({ name }) => name));
    if (unmatched.length > 0)
      throw new UsageError(`--encrypt ${unmatched.join(", ")} matches no imported variable`);
    const currentValues = new Map(current.map(({ name, value }) => [name, value]));
    return entries.map((entry) => {
      const { name, type, value } = entry;
      if (!wanted.matches(name) || isUnreadable(value)) return entry;
      const text = formatAs(value, type);
      return { ...entry, value: reusable(currentValues.get(name), name, text) ?? toEnvelope(text) };
    });
  };
}
