import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { AppendFile } from "../../kit/files/append-file.js";
import { createFile } from "../../kit/files/durable-file.js";
import { readRegularFile } from "../../kit/files/open-file.js";
import { hasCode } from "../../kit/files/system-errors.js";
import { InvalidDataError, UsageError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import { findEnvironment } from "../../model/environment.js";
import type { Data } from "../../store/data.js";
import { GIT_CONFIG } from "../../store/git-config.js";
import { createKeyFile, ignoreCommand } from "../../tasks/data/key-file.js";
import { allowProject } from "../../tasks/settings/allow-project.js";
import { PROJECT_FILE } from "../../tasks/settings/project-file.js";
import { readSettings, type Settings } from "../../tasks/settings/resolve-settings.js";
import { absolutePath, isFolderGone } from "../../tasks/surroundings.js";
import { readImport, typeEntries } from "../../tasks/transfer/read-import.js";
import { defineCommand, type FlagValues } from "../arguments/command.js";
import { PLACE_FLAGS } from "../arguments/data-flags.js";
import { type Context, printLines } from "../output/context.js";

/** The environment of imported values, and the one that commands use in the folder of the file. */
const FIRST_ENVIRONMENT = "development";

/** The largest `.gitignore` or `.gitattributes`, in bytes. */
const MAX_GIT_FILE = 1_048_576;

const FLAGS = {
  "--from <file>": {
    help: "import this file into development",
    conflicts: ["example"],
  },
  "--example": "add a few example variables",
  "--bare": `write no ${PROJECT_FILE}`,
  "--seal": "encrypt its secrets, with a new key in FILE.key unless a key is given",
  "--git": "for a file in git: --seal it, and write .gitattributes and .gitignore",
  ...PLACE_FLAGS,
} as const;

type InitFlags = FlagValues<typeof FLAGS>;

export const definition = defineCommand({
  description: `Create a data file, or the data of an empty
    store, with the environments development, test and
    production and new random credentials for each. For a file
    in the current folder, also writes and allows a
    ${PROJECT_FILE}, so that commands in this folder use the
    file and its environment development.`,
  flags: FLAGS,
  examples: ["appvars init --from .env"],
  run: (_, flags, context) => runInit(flags, context),
});

/** Creates a data file, as `appvars init` does. @throws UsageError, InvalidDataError */
export async function runInit(flags: InitFlags, context: Context): Promise<void> {
  const settings = readSettings(flags, context);
  let place = settings.dataPlace;
  const { localData } = await import("../../tasks/data/open-data.js");
  const data = await newData(flags, context);
  if (flags.git || flags.seal) {
    if (place.kind === "store") throw new UsageError("--git and --seal are for a data file");
    // Written before the data, so that git never sees the files beside it.
    if (flags.git) await writeGitFiles(place.path, flags.from);
    if (!place.sealKey && !existsSync(place.path))
      place = await createKeyFile(place, context, flags.git);
  }
  const local = await localData(place, context, "change");
  const $schema =
    place.kind === "file" && installedSchema(dirname(place.path), "appvars.schema.json");
  const created = local.create({ ...($schema && { $schema }), ...data });
  context.note(await created.catch((error) => throwWithOrigin(error, settings)));
  if (place.kind === "file") {
    if (flags.git) {
      const { from } = flags;
      if (from && from !== "-") {
        const removal = command`git rm --cached ${from}`;
        context.note(
          `${from} still contains the secrets in plain text; if git tracks it: ${removal}`,
        );
      }
      context.note(
        `run this once in each clone, so that git merges and shows the file by name: ${GIT_CONFIG}`,
      );
    } else if (!place.sealKey) context.note(`keep it out of git: ${ignoreCommand(place.path)}`);
    if (!flags.bare) await writeProject(place.path, settings, context);
  }
  const environments = data.environments.map(({ name }) => name);
  printLines(context, {
    json: {
      [place.kind === "file" ? "data" : "store"]: local.name,
      environments,
    },
  });
}

/** Adds the origin of the data's setting, which may be in a parent folder, unless it is a flag. */
function throwWithOrigin(error: unknown, settings: Settings): never {
  const { origin = "flag", from } = settings.find("data", "store") ?? {};
  if (!(error instanceof InvalidDataError) || origin === "flag") throw error;
  throw new InvalidDataError(`${error.message} (from ${from}); for another file, add --data`);
}

async function newData({ from, example }: InitFlags, context: Context): Promise<Data> {
  const { starterData } = await import("../../store/memory/starter-data.js");
  const data = starterData({ examples: example === true });
  if (from === undefined) return data;
  const { setValues } = await import("../../store/edits/edit-values.js");
  const { surroundings, note } = context;
  const imported = await readImport({ file: from, format: undefined }, surroundings, note);
  const environment = findEnvironment(data.environments, FIRST_ENVIRONMENT);
  return setValues(data, environment, typeEntries(imported, data, environment, note));
}

/**
 * Adds the lines that git needs for a data file to the files in its folder.
 *
 * @param path path of the data file
 * @param from the imported file, with secrets in plain text: ignored if it is in this folder or
 *   below
 * @throws InvalidDataError, also for a link
 */
async function writeGitFiles(path: string, from = "-"): Promise<void> {
  const folder = dirname(path);
  const name = gitPattern(basename(path));
  const imported = relative(folder, from);
  const isInside = from !== "-" && imported.split(sep)[0] !== ".." && !isAbsolute(imported);
  const ignored = ["key", "lock", "history.jsonl"].map((end) => `/${name}.${end}`);
  ignored.push(`/.${name}.*.tmp`);
  if (isInside) ignored.push(`/${gitPattern(imported)}`);
  const attributes = `/${name} text eol=lf merge=appvars diff=appvars`;
  await addLines(join(folder, ".gitattributes"), [attributes]);
  await addLines(join(folder, ".gitignore"), ignored);
}

/** A git pattern for the path, with `?` for each byte that may have a meaning in patterns. */
function gitPattern(path: string): string {
  return Buffer.from(path.replaceAll(sep, "/"))
    .toString("latin1")
    .replace(/[^\w./-]/g, "?");
}

async function addLines(path: string, lines: readonly string[]): Promise<void> {
  // In a shared folder, the file may be another user's. Links are not followed.
  const file = new AppendFile(path, { user: undefined, groups: [] }, 0o666);
  file.open();
  try {
    const { bytes } = await readRegularFile(path, MAX_GIT_FILE, { followLinks: false });
    const present = new Set(bytes.toString().split(/\r?\n/));
    const missing = lines.filter((line) => !present.has(line) && !present.has(line.slice(1)));
    if (missing.length > 0) file.append(`${missing.join("\n")}\n`);
  } catch (error) {
    throw error instanceof InvalidDataError
      ? new InvalidDataError(`${path} ${error.message}`)
      : error;
  } finally {
    file.close();
  }
}

/** The path of a JSON Schema for editors, relative to a folder in which appvars is installed. */
function installedSchema(folder: string, name: string): string | undefined {
  const path = `./node_modules/appvars/data/${name}`;
  return existsSync(join(folder, path)) ? path : undefined;
}

/** Makes commands in the current folder use a new file in it, unless it has a `.appvars.json`. */
async function writeProject(
  path: string,
  settings: Settings,
  { surroundings, note }: Context,
): Promise<void> {
  try {
    if (dirname(absolutePath(path, surroundings)) !== surroundings.cwd()) return;
  } catch (error) {
    if (isFolderGone(error)) return;
    throw error;
  }
  const $schema = installedSchema(surroundings.cwd(), "appvars.settings.schema.json");
  const text = `${JSON.stringify({ $schema, data: basename(path), env: FIRST_ENVIRONMENT })}\n`;
  const file = {
    path: join(surroundings.cwd(), PROJECT_FILE),
    bytes: Buffer.from(text),
  };
  try {
    await createFile(file.path, text);
    // The written content, even if it has changed since.
    await allowProject(file, surroundings);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return note(`${PROJECT_FILE} already exists and was not changed`);
    await rm(file.path, { force: true });
    return note(`no ${PROJECT_FILE} was created: ${(error as Error).message}`);
  }
  const use = `${basename(path)}, environment ${FIRST_ENVIRONMENT}`;
  note(`created ${PROJECT_FILE}: commands in this folder use ${use}`);
  const other = settings
    .named("url", "env")
    .find(({ text, origin }) => origin === "variable" && ![path, FIRST_ENVIRONMENT].includes(text));
  if (other) note(`${other.from} is set, and overrides ${PROJECT_FILE}`);
}
