import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { EnvironmentRecord } from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { VariableSource } from "../../domain/source.js";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  IMPORT_FORMATS,
  type ImportFormat,
  TOOLS,
  type Tool,
} from "../../formats/formats.js";
import type { EditableStore } from "../../store/store.js";
import type { Imported, NamedFile, OpenPlace } from "../../tui/state/ports.js";
import { absolutePath, type Io } from "../output/io.js";
import type { Decrypt } from "../sources/decryption.js";
import { isSameFile } from "../sources/safe-files.js";

/** The formats are loaded when they are used. @param dataPath the data file, which must not be overwritten */
export function fileExporter(
  source: VariableSource,
  decrypt: Decrypt,
  io: Io,
  dataPath?: string,
): OpenPlace["exportFile"] {
  return async (file, isReplacing) => {
    const { formatValues } = await import("../transfer/format-values.js");
    const { formatOf } = await import("../transfer/read-import.js");
    const { refuseForeignPlace, writePrivateFile } = await import("../transfer/write-private-file.js");
    const format = file.format === undefined ? formatOf(file.path) : oneOf(EXPORT_FORMATS, file.format);
    // It appends to the file of a CI job, and prints masks for its log.
    if (format === "github") throw new UsageError("github is for jobs in GitHub Actions: use appvars export there");
    const path = pathOf(file, io);
    const notes: string[] = [];
    const note = (text: string) => void notes.push(text);
    const warning = refuseForeignPlace(path, io);
    if (warning) note(warning);
    if (dataPath !== undefined && (await isSameFile(path, dataPath))) {
      throw new UsageError(`${file.path} is the data file itself`);
    }
    if (existsSync(path) && !isReplacing) return { kind: "exists" };
    const options = { target: undefined, name: undefined, skipUnsupported: false, allowReserved: [] };
    const { text, entries } = await formatValues({ ...options, format }, decrypt, source, { note, warn: note });
    await writePrivateFile(path, text, io);
    return { kind: "written", count: entries.length, notes };
  };
}

/** Reads files for one environment of a store, as `appvars import` does. */
export function fileImporter(
  store: EditableStore,
  findRecord: () => EnvironmentRecord,
  io: Io,
): (file: NamedFile) => Promise<Imported> {
  return async (file) => {
    const { readImport } = await import("../transfer/read-import.js");
    const { typeEntries } = await import("../transfer/type-entries.js");
    const notes: string[] = [];
    const from = TOOLS.find((tool): tool is Tool => tool === file.format);
    const format = from || file.format === undefined ? undefined : oneOf(IMPORT_FORMATS, file.format);
    const options = { file: pathOf(file, io), shownAs: file.path, format, from, expand: false };
    const { entries, isText } = await readImport(options, { io }, (text) => void notes.push(text));
    const typed = typeEntries(entries, isText, store.snapshot, findRecord());
    return { assignments: typed.map((each) => ({ ...each, description: "" })), notes };
  };
}

function oneOf<T extends ExportFormat | ImportFormat>(formats: readonly T[], text: string): T {
  const format = formats.find((each) => each === text);
  if (format === undefined) throw new UsageError(`there is no format "${text}": use one of ${formats.join(", ")}`);
  return format;
}

const MAX_FILES = 10_000;

/** The names in a folder, with a slash after those of folders; none if it can't be read. */
export async function listFolder(folder: string, io: Pick<Io, "cwd" | "env">): Promise<readonly string[]> {
  const entries = await readdir(pathOf({ path: folder === "" ? "." : folder }, io), { withFileTypes: true }).catch(
    () => [],
  );
  const names = entries.slice(0, MAX_FILES).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  return names.sort();
}

/** There is no shell that would expand `~`. */
function pathOf({ path }: Pick<NamedFile, "path">, io: Pick<Io, "cwd" | "env">): string {
  const home = io.env["HOME"];
  return path.startsWith("~/") && home ? join(home, path.slice(2)) : resolve(absolutePath(path, io));
}
