import { dirname } from "node:path";
import { InvalidDataError, UsageError } from "../../../kit/text/errors.js";
import { command } from "../../../kit/text/shell.js";
import { GIT_CONFIG } from "../../../store/schema/git-config.js";
import { ignoreCommand, sealNewFile } from "../../../tasks/data/key-file.js";
import { dataLocationOf } from "../../../tasks/settings/connection.js";
import { PROJECT_FILE } from "../../../tasks/settings/project-file.js";
import type { Settings } from "../../../tasks/settings/resolve-settings.js";
import { installedSchema, writeProject } from "../../../tasks/settings/write-project.js";
import { defineCommand, type FlagValues } from "../../arguments/command.js";
import { LOCATION_FLAGS } from "../../arguments/data-flags.js";
import type { Context } from "../../output/context.js";
import { printLines } from "../../output/output.js";

/** The environment of imported values and of the project. */
const FIRST_ENVIRONMENT = "development";

const FLAGS = {
  "--from <file>": {
    help: "import this file into development",
    conflicts: ["example"],
  },
  "--example": "add a few example variables",
  "--bare": `write no ${PROJECT_FILE}`,
  "--seal": "encrypt its secrets, with a new key in FILE.key unless a key is given",
  "--git": "for a file in git: --seal it, and write .gitattributes and .gitignore",
  ...LOCATION_FLAGS,
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

export async function runInit(flags: InitFlags, context: Context): Promise<void> {
  const settings = await context.settings(flags);
  let location = dataLocationOf(settings);
  const { openDataAccess } = await import("../../../tasks/data/open-data.js");
  const { newData } = await import("../../../tasks/transfer/new-data.js");
  const { from, example = false } = flags;
  const data = await newData({ from, env: FIRST_ENVIRONMENT, examples: example }, context);
  if (flags.git || flags.seal) {
    if (location.kind === "etcd") throw new UsageError("--git and --seal are for a data file");
    location = await sealNewFile(location, flags, context);
  }
  const local = await openDataAccess(location, context, "change");
  const $schema =
    location.kind === "file" && installedSchema(dirname(location.path), "appvars.schema.json");
  const created = local.create({ ...($schema && { $schema }), ...data });
  context.note(await created.catch((error) => throwWithOrigin(error, settings)));
  if (location.kind === "file") {
    if (flags.git) {
      if (from && from !== "-") {
        const removal = command`git rm --cached ${from}`;
        context.note(
          `${from} still contains the secrets in plain text; if git tracks it: ${removal}`,
        );
      }
      context.note(
        `run this once in each clone, so that git merges and shows the file by name: ${GIT_CONFIG}`,
      );
    } else if (!location.sealKey)
      context.note(`keep it out of git: ${ignoreCommand(location.path)}`);
    if (!flags.bare) await writeProject(location.path, FIRST_ENVIRONMENT, settings, context);
  }
  const environments = data.environments.map(({ name }) => name);
  const kind = location.kind === "file" ? "data" : "store";
  printLines(context, { json: { [kind]: local.name, environments } });
}

/**
 * Adds the origin of the data's setting, which may be in a parent folder,
 * unless it is a flag.
 */
function throwWithOrigin(error: unknown, settings: Settings): never {
  const { origin = "flag", from } = settings.find("data", "store") ?? {};
  if (!(error instanceof InvalidDataError) || origin === "flag") throw error;
  throw new InvalidDataError(`${error.message} (from ${from}); for another file, add --data`);
}
