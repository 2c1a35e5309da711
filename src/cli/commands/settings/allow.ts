import { join } from "node:path";
import { NotFoundError } from "../../../kit/text/errors.js";
import {
  allowProject,
  nearestProjectFile,
  projectFolder,
  revokeProject,
} from "../../../tasks/settings/allow-project.js";
import {
  findProjectFile,
  PROJECT_FILE,
  parseProjectFile,
} from "../../../tasks/settings/project-file.js";
import { HIDDEN, SETTINGS, shownText } from "../../../tasks/settings/setting-table.js";
import { absolutePath } from "../../../tasks/surroundings.js";
import { defineCommand } from "../../arguments/command.js";
import type { Context } from "../../output/context.js";
import { printFields } from "../../output/output.js";

export const definition = defineCommand({
  description: `Print the settings of a project's .appvars.json,
    and use them from now on. Until then they are refused, since
    they decide where your secrets and signatures are sent.
    After any change of the file or its path you must allow it
    again. Read it first, as you would a script.`,
  arguments: {
    "[file]": "the .appvars.json or its folder (default: this folder, or the nearest above it)",
  },
  flags: { "--revoke": "stop using it" },
  examples: ["appvars allow"],
  async run({ file }, { revoke }, context) {
    const { surroundings } = context;
    const folder =
      file === undefined ? undefined : await projectFolder(absolutePath(file, surroundings));
    await (revoke ? runRevoke : runAllow)(folder, context);
  },
});

/**
 * @param folder the folder of the `.appvars.json`; `undefined` for the nearest
 *   one
 */
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
  await printFields(context, {
    json,
    fields: [["file", file.path], ...settings],
  });
  await allowProject(file, surroundings);
  context.tell("it is used from now on, until it changes");
}

async function runRevoke(folder: string | undefined, context: Context): Promise<void> {
  const { surroundings } = context;
  const nearest = folder === undefined ? nearestProjectFile(surroundings) : undefined;
  const path = nearest?.path ?? join(folder ?? surroundings.cwd(), PROJECT_FILE);
  await revokeProject(path, surroundings);
  context.tell(`${path} is no longer used`);
}
