import { checkDecoded } from "../../../kit/process/this-process.js";
import { UsageError } from "../../../kit/text/errors.js";
import {
  type Environment,
  findEnvironment,
  parseEnvironmentName,
  qualifiedName,
} from "../../../model/environment.js";
import { readData, updateData } from "../../../tasks/data/open-data.js";
import { dataLocationOf } from "../../../tasks/settings/connection.js";
import type { Settings } from "../../../tasks/settings/resolve-settings.js";
import { type Command, defineCommand } from "../../arguments/command.js";
import { CHANGE_FLAGS, LOCATION_FLAGS } from "../../arguments/data-flags.js";
import type { Context } from "../../output/context.js";
import { printLines, printTable } from "../../output/output.js";
import { GRACE, issue, key, loadEdits, printPair, withoutSecrets } from "./env-key.js";

const list = defineCommand({
  description: "List the environments and their keys, without secrets.",
  flags: LOCATION_FLAGS,
  examples: ["appvars env list --data vars.json"],
  async run(_, flags, context) {
    const { environments } = await readData(await context.location(flags), context);
    const json = environments.map(({ id, application, name, api_key, previous }) => {
      return { id, application, name, api_key, previous: withoutSecrets(previous) };
    });
    const rows = json.map(({ previous, ...environment }) => {
      const former = previous.map((pair) => `${pair.api_key} until ${pair.valid_until}`);
      return [qualifiedName(environment), environment.api_key, former.join(", ")];
    });
    await printTable(context, {
      json,
      headings: ["ENVIRONMENT", "API KEY", "PREVIOUS"],
      rows,
    });
  },
});

const add = defineCommand({
  description: `Add an environment with new credentials, and
    print the lines that configure a shell for it.`,
  arguments: { "<name>": "staging, or shop/staging for the application shop" },
  flags: {
    "--from <environment>": "copy its values, and definitions that the application lacks",
    ...CHANGE_FLAGS,
    ...LOCATION_FLAGS,
  },
  examples: ["appvars env add shop/staging --from shop/development --data vars.json"],
  async run({ name }, { from, ...flags }, context) {
    const { addEnvironment, copyValues } = await loadEdits();
    checkDecoded(name, "the name");
    await issue(flags, context, (data, pair) => {
      const source = from === undefined ? undefined : findEnvironment(data.environments, from);
      const added = parseEnvironmentName(name, source?.application);
      const changed = addEnvironment(data, added, pair);
      return source ? copyValues(changed, source, added) : changed;
    });
  },
});

const rename = defineCommand({
  description: `Rename an environment within its application.
    Its credentials and values stay as they are.`,
  arguments: {
    "<name>": "the environment",
    "<new>": "its new name",
  },
  flags: { ...CHANGE_FLAGS, ...LOCATION_FLAGS },
  examples: ["appvars env rename shop/staging qa --data vars.json"],
  async run({ name, new: newName }, flags, context) {
    const { renameEnvironment } = await loadEdits();
    checkDecoded(newName, "the new name");
    let renamed = { application: "", name: "", new_name: "" };
    const settings = await context.settings(flags);
    const changed = await updateData(dataLocationOf(settings), context, (data) => {
      const environment = findEnvironment(data.environments, name);
      const { application } = environment;
      const parsed = parseEnvironmentName(newName, application);
      renamed = { application, name: environment.name, new_name: parsed.name };
      return renameEnvironment(data, environment, parsed);
    });
    warnOfSettings(settings, renamed, context);
    if (!changed) return;
    printLines(context, { json: renamed });
    context.tell(`renamed ${qualifiedName(renamed)} to ${renamed.new_name}`);
  },
});

const credentials = defineCommand({
  description: `Print the credentials of an environment: the
    lines that configure a shell for it. They contain its
    secret.`,
  arguments: { "<name>": "the environment" },
  flags: LOCATION_FLAGS,
  examples: ['eval "$(appvars env credentials development --data vars.json)"'],
  async run({ name }, flags, context) {
    const { environments } = await readData(await context.location(flags), context);
    const environment = findEnvironment(environments, name);
    const { application, name: ownName, api_key, api_secret } = environment;
    printPair({ application, name: ownName }, { api_key, api_secret }, context);
  },
});

const ROTATION = "appvars env rotate production --data vars.json --grace 24h";

const rotate = defineCommand({
  description: `Give an environment new credentials, and print
    the lines that configure a shell for it.`,
  arguments: { "<name>": "the environment" },
  flags: { ...GRACE, ...CHANGE_FLAGS, ...LOCATION_FLAGS },
  examples: [ROTATION],
  async run({ name }, { grace = 0, ...flags }, context) {
    const { rotateEnvironment } = await loadEdits();
    const times = { now: context.surroundings.clock(), grace };
    await issue(flags, context, (data, pair) => rotateEnvironment(data, name, pair, times));
  },
});

const remove = defineCommand({
  description: "Remove an environment with its credentials and values.",
  arguments: { "<name>": "the environment" },
  flags: {
    "--yes": "remove it; without this flag, only say what would be removed",
    ...CHANGE_FLAGS,
    ...LOCATION_FLAGS,
  },
  examples: ["appvars env remove shop/staging --data vars.json --yes"],
  async run({ name }, { yes, ...flags }, context) {
    const { removeEnvironment } = await loadEdits();
    let removed = { application: "", name: "", values: 0 };
    const description = () =>
      `${qualifiedName(removed)} with its credentials and ${removed.values} values`;
    const settings = await context.settings(flags);
    const changed = await updateData(dataLocationOf(settings), context, (data) => {
      const { id, application, name: ownName } = findEnvironment(data.environments, name);
      const values = data.values.filter((value) => value.environment_id === id).length;
      removed = { application, name: ownName, values };
      if (!yes && !context.preview)
        throw new UsageError(`this would remove ${description()}: add --yes to do so`);
      return removeEnvironment(data, name);
    });
    warnOfSettings(settings, removed, context);
    if (!changed) return;
    printLines(context, { json: removed });
    context.tell(`removed ${description()}`);
  },
});

export const definition: Command = {
  description: "Manage the environments of a data file or a store and their credentials.",
  examples: [ROTATION],
  commands: { list, add, rename, credentials, rotate, remove, key },
};

/** Warns about settings that still name a renamed or removed environment. */
function warnOfSettings(
  settings: Settings,
  former: Omit<Environment, "id">,
  { warn }: Context,
): void {
  for (const { text, from } of settings.findAll("env"))
    if ([former.name, qualifiedName(former)].includes(text))
      warn(`${from} still names ${text}: change it`);
}
