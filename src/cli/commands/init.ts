import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Command, Option } from "commander";
import { findEnvironment } from "../../domain/environment.js";
import { shellWord } from "../../domain/shell.js";
import { createFile } from "../../files/durable-file.js";
import { hasCode } from "../../files/system-errors.js";
import type { Data } from "../../store/data.js";
import { type Context, printLines } from "../output/context.js";
import { absolutePath, type Io, isFolderGone } from "../output/io.js";
import { PROJECT_FILE } from "../settings/project-file.js";
import { readSettings } from "../settings/resolve-settings.js";
import { type GivenSettings, SOURCE_SETTINGS, type SourceFlags } from "../settings/setting-table.js";
import { addPlaceOptions } from "../settings/source-flags.js";
import { readImport } from "../transfer/read-import.js";
import { typeEntries } from "../transfer/type-entries.js";
import { allowProject } from "./allow.js";

/** The environment that new values are for, and that commands use in the folder of the file. */
const FIRST_ENVIRONMENT = "development";

interface InitFlags extends SourceFlags {
  /** The file to import. */
  from?: string;
  example?: true;
  bare?: true;
}

export function initCommand(context: Context): Command {
  const command = new Command("init")
    .description(
      "Create a data file, or the data of an empty store, with the environments development, test and production, each " +
        `with new random credentials. For a file in the current folder, also write and allow a ${PROJECT_FILE}, with ` +
        "which commands in this folder use the file and its environment development.",
    )
    .addOption(new Option("--from <file>", "import this file into development").conflicts("example"))
    .option("--example", "add a few example variables")
    .option("--bare", `write no ${PROJECT_FILE}`)
    .addHelpText("after", "\nExample:\n  appvars init --from .env")
    .action((flags: InitFlags) => runInit(flags, context));
  return addPlaceOptions(command);
}

async function runInit(flags: InitFlags, context: Context): Promise<void> {
  const { dataPlace: place, given } = readSettings(flags, context.io);
  const { localData } = await import("../editing/open-data.js");
  const local = await localData(place, context.io);
  const warning = local.check("change");
  if (warning) context.warn(warning);
  const data = await newData(flags, context);
  context.note(await local.create(data));
  if (place.kind === "file") {
    const ignore = join(dirname(place.path), ".gitignore");
    context.note(`keep it out of git: echo ${shellWord(`/${basename(place.path)}*`)} >> ${shellWord(ignore)}`);
    if (!flags.bare) await writeProject(place.path, given, context);
  }
  const environments = data.environments.map(({ name }) => name);
  printLines(context, { json: { [place.kind === "file" ? "data" : "store"]: local.name, environments }, lines: [] });
}

async function newData({ from, example }: InitFlags, context: Context): Promise<Data> {
  const { starterData } = await import("../../store/starter-data.js");
  const data = starterData({ examples: example === true });
  if (from === undefined) return data;
  const { setValues } = await import("../../store/edit-values.js");
  const file = { file: from, format: undefined, expand: undefined };
  const imported = await readImport(file, context, context.note);
  const environment = findEnvironment(data.environments, FIRST_ENVIRONMENT);
  return setValues(data, environment, typeEntries(imported, data, environment));
}

/** Makes commands in the current folder use a new file in it, unless a `.appvars.json` is there already. */
async function writeProject(path: string, given: GivenSettings, { io, note }: Context): Promise<void> {
  if (!hasFolder(io) || dirname(absolutePath(path, io)) !== io.cwd) return;
  const text = `${JSON.stringify({ data: basename(path), env: FIRST_ENVIRONMENT })}\n`;
  const file = { path: join(io.cwd, PROJECT_FILE), bytes: Buffer.from(text) };
  try {
    await createFile(file.path, text);
    // The written content, even if it has changed since.
    await allowProject(file, io);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return note(`${PROJECT_FILE} already exists and was not changed`);
    await rm(file.path, { force: true });
    return note(`no ${PROJECT_FILE} was created: ${(error as Error).message}`);
  }
  note(`created ${PROJECT_FILE}: commands in this folder use ${basename(path)}, environment ${FIRST_ENVIRONMENT}`);
  const other = given.find(
    ({ name, text, place }) =>
      place === "variable" && [...SOURCE_SETTINGS, "env"].includes(name) && ![path, FIRST_ENVIRONMENT].includes(text),
  );
  if (other) note(`${other.from} is set, and overrides ${PROJECT_FILE}`);
}

/** False if the current folder has been deleted. */
function hasFolder(io: Pick<Io, "cwd">): boolean {
  try {
    return io.cwd !== "";
  } catch (error) {
    if (isFolderGone(error)) return false;
    throw error;
  }
}
