import { Command } from "commander";
import { checkDecoded } from "../../../kit/text/decode-utf8.js";
import { UsageError } from "../../../kit/text/errors.js";
import {
  type EnvironmentRecord,
  findEnvironment,
  type KeyPair,
  parseEnvironmentName,
  qualifiedName,
} from "../../../model/environment.js";
import type { Data } from "../../../store/data.js";
import { readData, updateData } from "../../../tasks/data/open-data.js";
import { credentialLines } from "../../../tasks/data/shell-lines.js";
import { named, readSettings, type Settings } from "../../../tasks/settings/resolve-settings.js";
import type { SourceFlags } from "../../../tasks/settings/setting-table.js";
import { addDryRun, addPlaceOptions } from "../../arguments/source-flags.js";
import { type Context, printLines, printTable } from "../../output/context.js";
import { graceOption, keyCommand, withoutSecrets } from "./key.js";

export function envCommand(context: Context): Command {
  const list = new Command("list")
    .summary("list the environments and their keys")
    .description("List the environments of a data file or a store and their keys, without secrets.")
    .addHelpText("after", "\nExample:\n  appvars env list --data vars.json")
    .action((flags) => runEnvList(flags, context));
  const add = new Command("add")
    .summary("add an environment with new credentials")
    .description(
      "Add an environment with new credentials, and print the lines that configure a shell for it.",
    )
    .argument("<name>", "staging, or shop/staging for the application shop")
    .option(
      "--from <environment>",
      "copy the values of this one, and definitions that the application lacks",
    )
    .addHelpText(
      "after",
      "\nExample:\n  appvars env add shop/staging --from shop/development --data vars.json",
    )
    .action((name: string, { from, ...flags }) => runEnvAdd(name, from, flags, context));
  const rename = new Command("rename")
    .summary("rename an environment")
    .description(
      "Rename an environment within its application. Its credentials and values stay as they are.",
    )
    .argument("<name>", "the environment")
    .argument("<new>", "its new name")
    .addHelpText("after", "\nExample:\n  appvars env rename shop/staging qa --data vars.json")
    .action((name: string, newName: string, flags) => runEnvRename(name, newName, flags, context));
  const credentials = new Command("credentials")
    .summary("print the credentials of an environment")
    .description(
      "Print the lines that configure a shell for an environment. They contain its secret.",
    )
    .argument("<name>", "the environment")
    .addHelpText(
      "after",
      '\nExample:\n  eval "$(appvars env credentials development --data vars.json)"',
    )
    .action((name: string, flags) => runEnvCredentials(name, flags, context));
  const rotate = new Command("rotate")
    .summary("give an environment new credentials")
    .description(
      "Give an environment new credentials, and print the lines that configure a shell for it.",
    )
    .argument("<name>", "the environment")
    .addOption(graceOption())
    .addHelpText(
      "after",
      "\nExample:\n  appvars env rotate production --data vars.json --grace 24h",
    )
    .action((name: string, { grace, ...flags }) => runEnvRotate(name, grace, flags, context));
  const remove = new Command("remove")
    .summary("remove an environment, its credentials and values")
    .description("Remove an environment, its credentials and all its values.")
    .argument("<name>", "the environment")
    .option("--yes", "do it; without this flag, only list the removals")
    .addHelpText("after", "\nExample:\n  appvars env remove shop/staging --data vars.json --yes")
    .action((name: string, { yes = false, ...flags }) => runEnvRemove(name, yes, flags, context));
  const command = new Command("env")
    .description("Manage the environments of a data file or a store and their credentials.")
    .addHelpText(
      "after",
      "\nExample:\n  appvars env rotate production --data vars.json --grace 24h",
    );
  for (const changing of [add, rename, rotate, remove]) addDryRun(changing);
  for (const subcommand of [list, add, rename, credentials, rotate, remove])
    command.addCommand(addPlaceOptions(subcommand));
  return command.addCommand(keyCommand(context));
}

async function runEnvList(flags: SourceFlags, context: Context): Promise<void> {
  const { environments } = await readData(readSettings(flags, context).dataPlace, context);
  const rows = environments.map(({ id, application, name, api_key, previous }) => {
    return { id, application, name, api_key, previous: withoutSecrets(previous) };
  });
  const cells = rows.map((row) => [
    qualifiedName(row),
    row.api_key,
    row.previous.map((pair) => `${pair.api_key} until ${pair.valid_until}`).join(", "),
  ]);
  await printTable(context, {
    json: rows,
    headings: ["ENVIRONMENT", "API KEY", "PREVIOUS"],
    rows: cells,
  });
}

async function runEnvAdd(
  name: string,
  from: string | undefined,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { addEnvironment, copyValues } = await import("../../../store/edits/edit-environments.js");
  checkDecoded(name, "the name");
  await issue(flags, context, (data, pair) => {
    const source = from === undefined ? undefined : findEnvironment(data.environments, from);
    const added = parseEnvironmentName(name, source?.application);
    const changed = addEnvironment(data, added, pair);
    return source ? copyValues(changed, source, added) : changed;
  });
}

async function runEnvRename(
  name: string,
  newName: string,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { renameEnvironment } = await import("../../../store/edits/edit-environments.js");
  checkDecoded(newName, "the new name");
  let renamed = { application: "", name: "", new_name: "" };
  const settings = readSettings(flags, context);
  const changed = await updateData(settings.dataPlace, context, (data) => {
    const found = findEnvironment(data.environments, name);
    const parsed = parseEnvironmentName(newName, found.application);
    renamed = { application: found.application, name: found.name, new_name: parsed.name };
    return renameEnvironment(data, found, parsed);
  });
  warnOfSettings(settings, renamed, context);
  if (!changed) return;
  printLines(context, { json: renamed, lines: [] });
  context.tell(`renamed ${qualifiedName(renamed)} to ${renamed.new_name}`);
}

/** Warns of settings with the name of an environment that is gone. */
function warnOfSettings(
  { given }: Settings,
  gone: Pick<EnvironmentRecord, "application" | "name">,
  { warn }: Context,
) {
  for (const { text, from } of named(given, "env"))
    if ([gone.name, qualifiedName(gone)].includes(text))
      warn(`${from} is ${text}: change it there`);
}

async function runEnvCredentials(
  name: string,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { environments } = await readData(readSettings(flags, context).dataPlace, context);
  printCredentials(findEnvironment(environments, name), context);
}

async function runEnvRotate(
  name: string,
  grace: number,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { rotateEnvironment } = await import("../../../store/edits/edit-environments.js");
  const times = { now: context.surroundings.clock(), grace };
  await issue(flags, context, (data, pair) => rotateEnvironment(data, name, pair, times));
}

async function issue(
  flags: SourceFlags,
  context: Context,
  change: (data: Data, pair: KeyPair) => Data,
): Promise<void> {
  const { issueCredentials } = await import("../../../store/edits/edit-environments.js");
  const { dataPlace } = readSettings(flags, context);
  const issued = await issueCredentials((edit) => updateData(dataPlace, context, edit), change);
  if (!context.flags.dryRun) printCredentials(issued, context);
}

async function runEnvRemove(
  name: string,
  yes: boolean,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { removeEnvironment } = await import("../../../store/edits/edit-environments.js");
  let removed = { application: "", name: "", values: 0 };
  const description = () =>
    `${qualifiedName(removed)} with its credentials and ${removed.values} values`;
  const settings = readSettings(flags, context);
  const changed = await updateData(settings.dataPlace, context, (data) => {
    const { id, application, name: found } = findEnvironment(data.environments, name);
    const values = data.values.filter((value) => value.environment_id === id).length;
    removed = { application, name: found, values };
    if (!yes && !context.flags.dryRun)
      throw new UsageError(`this would remove ${description()}: add --yes to do so`);
    return removeEnvironment(data, name);
  });
  warnOfSettings(settings, removed, context);
  if (!changed) return;
  printLines(context, { json: removed, lines: [] });
  context.tell(`removed ${description()}`);
}

function printCredentials(
  { application, name, api_key, api_secret }: EnvironmentRecord,
  context: Context,
): void {
  const pair = { api_key, api_secret };
  printLines(context, {
    json: { application, name, ...pair },
    lines: credentialLines(pair, context.surroundings),
  });
}
