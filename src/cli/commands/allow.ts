import { lstat, realpath, stat, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Command } from "commander";
import { replaceFile } from "../../kit/files/durable-file.js";
import { foreignWriter } from "../../kit/files/owners.js";
import { makeFolder } from "../../kit/files/private-folder.js";
import { hasCode, toInvalidFile } from "../../kit/files/system-errors.js";
import { InvalidDataError, NotFoundError, UsageError } from "../../kit/text/errors.js";
import {
  allowedFolder,
  entryPath,
  entryText,
  findProjectFile,
  PROJECT_FILE,
  type ProjectContent,
  type ProjectFile,
  parseProjectFile,
} from "../../tasks/settings/project-file.js";
import { HIDDEN, SETTINGS, shownText } from "../../tasks/settings/setting-table.js";
import { refuseNoHome } from "../../tasks/settings/user-folders.js";
import { absolutePath, type Surroundings } from "../../tasks/surroundings.js";
import { type Context, printFields } from "../output/context.js";

export function allowCommand(context: Context): Command {
  return new Command("allow")
    .description(
      "Print the settings of a project's .appvars.json, and use them from now on. Until then they are refused, since " +
        "they decide where your secrets and signatures are sent. After any change of the file or its path you must " +
        "allow it again. Read it first, as you would a script.",
    )
    .argument(
      "[file]",
      "the .appvars.json, or the folder it is in (default: this folder, or the nearest above it)",
    )
    .option("--revoke", "stop using it")
    .addHelpText("after", "\nExample:\n  appvars allow")
    .action(async (file: string | undefined, { revoke = false }: { revoke?: boolean }) => {
      const folder =
        file === undefined ? undefined : await folderOf(absolutePath(file, context.surroundings));
      await (revoke ? runRevoke(folder, context) : runAllow(folder, context));
    });
}

/** @param folder that of the `.appvars.json`; undefined for the nearest one */
async function runAllow(folder: string | undefined, context: Context): Promise<void> {
  const { surroundings } = context;
  const file =
    folder === undefined ? nearestProjectFile(surroundings) : findProjectFile(folder, surroundings);
  if (!file)
    throw new NotFoundError(`there is no ${PROJECT_FILE} in ${folder ?? surroundings.cwd()}`);
  const settings = parseProjectFile(file).map(
    (setting) => [SETTINGS[setting.name].key, shownText(setting) ?? HIDDEN] as const,
  );
  const json = { file: file.path, settings: Object.fromEntries(settings) };
  await printFields(context, { json, fields: [["file", file.path], ...settings] });
  await allowProject(file, surroundings);
  context.tell("it is used from now on, until it changes");
}

async function runRevoke(folder: string | undefined, context: Context): Promise<void> {
  const { surroundings } = context;
  const path = join(
    folder ??
      dirname(nearestProjectFile(surroundings)?.path ?? join(surroundings.cwd(), PROJECT_FILE)),
    PROJECT_FILE,
  );
  await unlink(entryPath(path, surroundings)).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR")) throw new NotFoundError(`${path} was not allowed`);
    throw toInvalidFile(allowedFolder(surroundings), error, "can't be written");
  });
  context.tell(`${path} is no longer used`);
}

/**
 * The folder of a file that is named by its own path or its folder's, without links; it need not
 * exist.
 */
async function folderOf(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder && basename(path) !== PROJECT_FILE)
    throw new UsageError(`${path} is not a folder or a ${PROJECT_FILE}`);
  const folder = isFolder ? path : dirname(path);
  return realpath(folder).catch(() => folder);
}

/** @throws UsageError for a file of another user, which must be named */
function nearestProjectFile(surroundings: Surroundings): ProjectFile | undefined {
  for (let folder = surroundings.cwd(); ; folder = dirname(folder)) {
    const file = findProjectFile(folder, surroundings);
    if (file?.foreign)
      throw new UsageError(`${file.path} ${file.foreign}: to allow it anyway, name it`);
    if (file || folder === dirname(folder)) return file;
  }
}

/** Uses this content of a `.appvars.json` from now on. @throws UsageError, InvalidDataError */
export async function allowProject(
  content: ProjectContent,
  surroundings: Surroundings,
): Promise<void> {
  refuseNoHome(surroundings.folders);
  try {
    await makeFolder(allowedFolder(surroundings));
    await refuseForeignFolder(surroundings);
    await replaceFile(entryPath(content.path, surroundings), entryText(content));
  } catch (error) {
    throw toInvalidFile(allowedFolder(surroundings), error, "can't be written");
  }
}

/**
 * @throws InvalidDataError for a link, which may lead to other files, or a folder that others can
 *   write
 */
async function refuseForeignFolder(surroundings: Surroundings): Promise<void> {
  const stats = await lstat(allowedFolder(surroundings));
  if (!stats.isDirectory())
    throw new InvalidDataError("can't be written: it must be a folder, not a link; remove it");
  const foreign = foreignWriter(stats, surroundings);
  if (foreign)
    throw new InvalidDataError(
      `can't be written: it ${foreign}; remove it, or use chown and chmod go-w`,
    );
}
