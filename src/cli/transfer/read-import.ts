import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { buffer } from "node:stream/consumers";
import { aboutUse, UsageError } from "../../domain/errors.js";
import { decodeUtf8 } from "../../files/decode-utf8.js";
import type { ReadEntry } from "../../formats/entry.js";
import { type ImportFormat, READERS, TOOL_READERS, type Tool } from "../../formats/formats.js";
import type { Context } from "../output/context.js";

/** A file to import. */
export interface ImportedFile {
  /** `-` for stdin. */
  file: string;
  /** What messages call it, by default the same. */
  shownAs?: string;
  format: ImportFormat | undefined;
  /** The tool that has printed the file. */
  from: Tool | undefined;
  /** Whether references in a dotenv file are replaced. */
  expand: boolean;
}

/** The format by the ending of a path. */
export function formatOf(file: string): ImportFormat {
  const ending = extname(file).toLowerCase();
  if (ending === ".json") return "json";
  return ending === ".yaml" || ending === ".yml" ? "yaml" : "dotenv";
}

export interface Imported {
  entries: ReadEntry[];
  /** Whether the values are texts, whatever they stand for. */
  isText: boolean;
}

/** Reads variables from a file. @param note called with what a person should know @throws UsageError that names the file */
export async function readImport(
  options: ImportedFile,
  context: Pick<Context, "io">,
  note: Context["note"],
): Promise<Imported> {
  const what = options.file === "-" ? "stdin" : (options.shownAs ?? options.file);
  try {
    const text = await readInput(options.file, context);
    const imported = await parseImport(options, text, (about) => note(`${what}: ${about}`));
    if (imported.entries.length === 0) note(`${what} contains no variables`);
    return imported;
  } catch (error) {
    // The regular expressions of dotenv exhaust the stack when there are megabytes between two quotes.
    if (error instanceof RangeError) throw new UsageError(`${what}: a value is too long`);
    throw aboutUse(what, error);
  }
}

async function parseImport(options: ImportedFile, text: string, note: Context["note"]): Promise<Imported> {
  const { file, from, expand } = options;
  if (from) {
    const format = await formatFrom(from, text);
    if (options.format && options.format !== format)
      throw new UsageError(`--from ${from} and --format ${options.format} can't be used together`);
    if (expand) throw new UsageError(`--from ${from} and --expand can't be used together`);
    return { entries: (await TOOL_READERS[from]())(text, note), isText: true };
  }
  const format = options.format ?? formatOf(file);
  if (expand && format !== "dotenv") throw new UsageError(`--expand is for dotenv files, not for ${format}`);
  if (format !== "dotenv") return { entries: (await READERS[format]())(text), isText: false };
  const entries = (await READERS.dotenv())(text);
  const { describeReferences, expandReferences } = await import("../../formats/dotenv-references.js");
  if (expand) return { entries: expandReferences(text, entries), isText: true };
  const references = describeReferences(text, entries);
  if (references) note(`$NAME and \${NAME} are taken literally in ${references}; --expand replaces them`);
  return { entries, isText: true };
}

async function formatFrom(tool: Tool, text: string): Promise<ImportFormat> {
  if (tool !== "infisical") return "json";
  return (await import("../../formats/from-tools.js")).isInfisicalJson(text) ? "json" : "dotenv";
}

async function readInput(file: string, { io }: Pick<Context, "io">): Promise<string> {
  const bytes = await (file === "-" ? buffer(io.stdin) : readFile(file)).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ERR_FS_FILE_TOO_LARGE" ? "it is too large" : error.code;
    throw new UsageError(`can't be read (${reason})`);
  });
  return decodeUtf8(bytes, "its content");
}
