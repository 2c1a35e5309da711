import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { ENVIRONMENT_FORMATS, WRITERS } from "../../formats/formats.js";
import { MAX_INPUT } from "../../kit/files/read-file.js";
import { UsageError } from "../../kit/text/errors.js";
import type { EnvironmentRecord } from "../../model/environment.js";
import type { VariableSource } from "../../model/reads/read.js";
import { namedValues, readVariableEntries } from "../../model/reads/variable-entries.js";
import { isReservedName } from "../../model/reserved-names.js";
import type { EditableStore } from "../../store/store.js";
import { isSameFile } from "../../tasks/files/safe-files.js";
import { writePrivateFile } from "../../tasks/files/write-private-file.js";
import { type Decrypt, decryptValues } from "../../tasks/sources/decryption.js";
import { absolutePath, type Surroundings } from "../../tasks/surroundings.js";
import { formatOf, readImport, typeEntries } from "../../tasks/transfer/read-import.js";
import type { ChosenFile, Editor, OpenPlace, WriteValues } from "../state/ports.js";

/**
 * @param data the URL of the store, or the path of the data file, which must
 *   not be overwritten
 */
export function fileExporter(
  source: VariableSource,
  decrypt: Decrypt,
  surroundings: Surroundings,
  data?: string,
): OpenPlace["exportFile"] {
  return async (file, isReplacing) => {
    const path = pathOf(file, surroundings);
    if (data !== undefined && (await isSameFile(path, data))) {
      throw new UsageError(`${file.path} is the data file itself`);
    }
    if (existsSync(path) && !isReplacing) return undefined;
    const all = namedValues(await source.readSnapshot(readVariableEntries));
    const values = file.names ? all.filter(({ name }) => file.names?.has(name)) : all;
    if (file.names && values.length === 0)
      throw new UsageError("none of the marked variables has a value here");
    const format = file.format ?? formatOf(file.path);
    const written = await writeValues(format, values, { decrypt, allowReserved: false });
    const { text, leftOut = [], note } = written;
    await writePrivateFile(path, text, surroundings);
    return { count: values.length - leftOut.length, notes: note === undefined ? [] : [note] };
  };
}

/** Reads files for one environment of a store, as `appvars import` does. */
export function fileImporter(
  store: EditableStore,
  environment: EnvironmentRecord,
  surroundings: Surroundings,
): Editor["importFile"] {
  return async (file) => {
    const notes: string[] = [];
    const options = {
      file: pathOf(file, surroundings),
      shownAs: file.path,
      format: file.format,
      maxSize: MAX_INPUT,
    };
    const note = (text: string) => void notes.push(text);
    const imported = await readImport(options, surroundings, note);
    if (imported.entries.length === 0)
      throw new UsageError(`${imported.what} contains no variables`);
    const typed = typeEntries(imported, store.data, environment, note);
    return { assignments: typed.map((each) => ({ ...each, description: "" })), notes };
  };
}

export async function listFolder(
  folder: string,
  surroundings: Pick<Surroundings, "cwd" | "env">,
): Promise<readonly string[]> {
  const path = pathOf({ path: folder === "" ? "." : folder }, surroundings);
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

/** Expands `~`, since no shell does. */
export function pathOf(
  { path }: Pick<ChosenFile, "path">,
  surroundings: Pick<Surroundings, "cwd" | "env">,
): string {
  const home = surroundings.env["HOME"];
  return path.startsWith("~/") && home
    ? join(home, path.slice(2))
    : resolve(absolutePath(path, surroundings));
}

/** Leaves reserved names out of formats in which they would take effect. */
export const writeValues: WriteValues = async (format, values, { decrypt, allowReserved }) => {
  const isLeftOut =
    !allowReserved && ENVIRONMENT_FORMATS.includes(format) ? isReservedName : () => false;
  const leftOut = values.map(({ name }) => name).filter(isLeftOut);
  const written = values.filter(({ name }) => !isLeftOut(name));
  if (written.length === 0 && leftOut.length > 0) {
    throw new UsageError(`reserved names are left out of ${format}: ${leftOut.join(", ")}`);
  }
  const text = (await WRITERS[format]())(decryptValues(written, decrypt));
  return {
    text,
    leftOut,
    note: leftOut.length > 0 ? `omitted reserved names: ${leftOut.join(", ")}` : undefined,
  };
};
