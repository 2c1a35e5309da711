import { Command, Option } from "commander";
import {
  type Environment,
  findEnvironment,
  type KeyPair,
  LABEL_PATTERN,
  LABEL_RULE,
  qualifiedName,
} from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { Context } from "../context.js";
import { parseDuration } from "../duration.js";
import { openData } from "../editing.js";
import { escapeField } from "../escape.js";
import { pasteLines } from "../paste-lines.js";
import type { SourceFlags } from "../settings.js";
import { addDataFileOption } from "../source-options.js";
import { formatTable } from "../table.js";

export function envCommand(context: Context): Command {
  const list = new Command("list")
    .description("List the environments of a data file and their keys; secrets stay in the file.")
    .addHelpText("after", "\nExample:\n  appvars env list --data vars.json")
    .action((flags) => runEnvList(flags, context));
  const add = new Command("add")
    .description("Add an environment with fresh credentials, and print the lines that point a shell at it.")
    .argument("<name>", "staging, or shop/staging for an application of that name")
    .addHelpText("after", "\nExample:\n  appvars env add shop/staging --data vars.json")
    .action((name: string, flags) => runEnvAdd(name, flags, context));
  const rotate = new Command("rotate")
    .description("Give an environment fresh credentials, and print the lines that point a shell at it.")
    .argument("<name>", "the environment")
    .addOption(
      new Option("--grace <duration>", "take the credentials before them for so long: 90s, 30m, 24h, 7d")
        .argParser(parseDuration)
        .default(0, "not at all"),
    )
    .addHelpText("after", "\nExample:\n  appvars env rotate production --data vars.json --grace 24h")
    .action((name: string, { grace, ...flags }) => runEnvRotate(name, grace, flags, context));
  const remove = new Command("remove")
    .description("Remove an environment, its credentials and all its values.")
    .argument("<name>", "the environment")
    .option("--yes", "do it; without this flag it only tells what would go")
    .addHelpText("after", "\nExample:\n  appvars env remove shop/staging --data vars.json --yes")
    .action((name: string, { yes = false, ...flags }) => runEnvRemove(name, yes, flags, context));
  const command = new Command("env")
    .summary("list, add, rotate and remove environments")
    .description("The environments of a data file and their credentials.")
    .addHelpText("after", "\nExample:\n  appvars env rotate production --data vars.json --grace 24h");
  for (const subcommand of [list, add, rotate, remove]) command.addCommand(addDataFileOption(subcommand));
  return command;
}

export async function runEnvList(flags: SourceFlags, context: Context): Promise<void> {
  const store = await openData(flags, context.io);
  const rows = store.snapshot.environments.map(({ id, application, name, api_key, previous = [] }) => ({
    id,
    application,
    name,
    api_key,
    previous: previous.map((pair) => ({ api_key: pair.api_key, valid_until: pair.valid_until })),
  }));
  if (context.flags.json) return context.printJson(rows);
  const cells = rows.map((row) => [
    qualifiedName(row),
    row.api_key,
    row.previous.map((pair) => `${pair.api_key} until ${pair.valid_until}`).join(", "),
  ]);
  if (!context.io.stdout.isTTY)
    return context.print(cells.map((row) => `${row.map(escapeField).join("\t")}\n`).join(""));
  context.print(await formatTable(["ENVIRONMENT", "API KEY", "PREVIOUS"], cells, await context.colors()));
}

/** @throws UsageError when there is one of that name already; InvalidDataError */
export async function runEnvAdd(name: string, flags: SourceFlags, context: Context): Promise<void> {
  const { addEnvironment } = await import("../../store/edit-environments.js");
  const { freshCredentials } = await import("../../store/starter-data.js");
  const [environment = "", application = "default", ...rest] = name.split("/").reverse();
  if (rest.length > 0 || ![environment, application].every((label) => LABEL_PATTERN.test(label))) {
    throw new UsageError(`the name must be like staging or shop/staging, each part ${LABEL_RULE}`);
  }
  const added = { application, name: environment };
  const credentials = freshCredentials();
  const store = await openData(flags, context.io);
  await store.update((data) => addEnvironment(data, added, credentials));
  printCredentials(added, credentials, context);
}

/** @throws NotFoundError, UsageError for an ambiguous name; InvalidDataError */
export async function runEnvRotate(name: string, grace: number, flags: SourceFlags, context: Context): Promise<void> {
  const { rotateEnvironment } = await import("../../store/edit-environments.js");
  const { freshCredentials } = await import("../../store/starter-data.js");
  const credentials = freshCredentials();
  const store = await openData(flags, context.io);
  await store.update((data) => rotateEnvironment(data, name, credentials, { now: context.io.clock(), grace }));
  printCredentials(findEnvironment(store.snapshot.environments, name), credentials, context);
}

/** @throws UsageError without `--yes`; NotFoundError, InvalidDataError */
export async function runEnvRemove(name: string, yes: boolean, flags: SourceFlags, context: Context): Promise<void> {
  const { removeEnvironment } = await import("../../store/edit-environments.js");
  const store = await openData(flags, context.io);
  const environment = findEnvironment(store.snapshot.environments, name);
  const count = store.snapshot.values.filter((value) => value.environment_id === environment.id).length;
  const what = `${qualifiedName(environment)} with its credentials and ${count} values`;
  if (!yes) throw new UsageError(`this removes ${what}: add --yes to do it`);
  await store.update((data) => removeEnvironment(data, name));
  context.tell(`removed ${what}`);
}

/** The one time that these credentials are printed. */
function printCredentials(environment: Omit<Environment, "id">, credentials: KeyPair, context: Context): void {
  const { application, name } = environment;
  if (context.flags.json) context.printJson({ application, name, ...credentials });
  else context.print(pasteLines(undefined, credentials));
}
