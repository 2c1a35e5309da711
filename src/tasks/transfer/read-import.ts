import { extname } from "node:path";
import type { DotenvProgram, ReadEntry } from "../../formats/entry.js";
import { type ImportFormat, READERS } from "../../formats/formats.js";
import { MAX_INPUT, readRegularFile } from "../../kit/files/open-file.js";
import { toInvalidData } from "../../kit/files/system-errors.js";
import { decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { UsageError, withSubject } from "../../kit/text/errors.js";
import { readAnyFile } from "../named-file.js";
import type { Messages, Surroundings } from "../surroundings.js";

/** A file to import. */
export interface ImportedFile {
  /** `-` for stdin. */
  file: string;
  /** Its name in messages. Default the same. */
  shownAs?: string;
  format: ImportFormat | undefined;
  /** The program by whose rules a dotenv file is read. */
  program?: DotenvProgram | undefined;
  /** Whether references in a dotenv file are replaced. */
  expand?: boolean;
  /** Bytes. With it, only a regular file is accepted: reading a pipe can't be stopped. */
  maxSize?: number;
}

/** The format by the ending of a path. */
export function formatOf(file: string): ImportFormat {
  const ending = extname(file).toLowerCase();
  if (ending === ".json") return "json";
  return ending === ".yaml" || ending === ".yml" ? "yaml" : "dotenv";
}

export interface Imported {
  /** The name of the file in messages. */
  what: string;
  entries: ReadEntry[];
  /** Whether all values are texts. */
  isText: boolean;
}

/** Reads variables from a file. @throws UsageError that names the file */
export async function readImport(
  options: ImportedFile,
  surroundings: Surroundings,
  note: Messages["note"],
): Promise<Imported> {
  const { file, shownAs = file, format = formatOf(file), expand, program } = options;
  const what = file === "-" ? "stdin" : shownAs;
  const bytes = await readInput(options, surroundings).catch((error: unknown) => {
    throw new UsageError(`${what} ${toInvalidData(error, "can't be read").message}`);
  });
  try {
    // A byte order mark, FE FF or FF FE, or a NUL beside a letter.
    const [first = 1, second = 1] = bytes;
    if (first + second === 0x1fd || first * second === 0)
      throw new UsageError("its content is UTF-16; save it as UTF-8");
    const text = decodeUtf8(bytes, "its content");
    if ((expand || program) && format !== "dotenv")
      throw new UsageError(
        `${program ? "--for" : "--expand"} is for dotenv files, not for ${format}`,
      );
    const read = await READERS[format]();
    const entries = read(text, { note: (about) => note(`${what}: ${about}`), program, expand });
    if (entries.length === 0) note(`${what} contains no variables`);
    return { what, entries, isText: format === "dotenv" };
  } catch (error) {
    return withSubject(what, () => {
      throw error;
    });
  }
}

/** @throws the file system's error, or InvalidDataError with a predicate */
async function readInput(
  { file, maxSize }: ImportedFile,
  { readStdin }: Surroundings,
): Promise<Buffer> {
  if (file === "-") return readStdin(MAX_INPUT);
  if (maxSize !== undefined) return (await readRegularFile(file, maxSize)).bytes;
  return readAnyFile(file, MAX_INPUT);
}
