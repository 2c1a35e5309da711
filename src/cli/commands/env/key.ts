import { Command, Option } from "commander";
import { checkDecoded } from "../../../kit/text/decode-utf8.js";
import { UsageError } from "../../../kit/text/errors.js";
import {
  findEnvironment,
  type KeyPair,
  LABEL_PATTERN,
  LABEL_RULE,
  type NamedKey,
  qualifiedName,
  type RotatedPair,
} from "../../../model/environment.js";
import { createMatcher, PATTERN, PATTERN_RULE } from "../../../model/name-matcher.js";
import { type Data, recordsOf } from "../../../store/data.js";
import { readData, updateData } from "../../../tasks/data/open-data.js";
import { credentialLines } from "../../../tasks/data/shell-lines.js";
import { readSettings } from "../../../tasks/settings/resolve-settings.js";
import type { SourceFlags } from "../../../tasks/settings/setting-table.js";
import { parseDuration, parseTime, valid } from "../../arguments/flag-arguments.js";
import { parseNames } from "../../arguments/selection-flags.js";
import { addDryRun, addPlaceOptions } from "../../arguments/source-flags.js";
import { type Context, printLines, printTable } from "../../output/context.js";

export function graceOption(): Option {
  return new Option(
    "--grace <duration>",
    "keep the old credentials valid for that long: 90s, 30m, 24h, 7d",
  )
    .argParser(parseDuration)
    .default(0, "not at all");
}

/** Reads no secret: without the key of a sealed file, that is an error. */
export function withoutSecrets(previous: RotatedPair["previous"] = []) {
  return previous.map(({ api_key, valid_until }) => ({ api_key, valid_until }));
}

export function keyCommand(context: Context): Command {
  const expires = (effect: string) =>
    new Option(
      "--expires <time>",
      `${effect}: in 90s, 30m, 24h, 7d, or at a date such as 2026-12-31`,
    ).argParser((text) => parseExpiry(text, context.surroundings.clock()));
  const list = new Command("list")
    .summary("list the named keys")
    .description("List the named keys of an environment or of all of them, without secrets.")
    .argument("[environment]", "development, or shop/development")
    .addHelpText("after", "\nExample:\n  appvars env key list production --data vars.json")
    .action((environment: string | undefined, flags) => runKeyList(environment, flags, context));
  const add = new Command("add")
    .summary("give a person or a service a key")
    .description(
      "Give a person or a service a key of their own to an environment, and print the lines that configure a shell for it.",
    )
    .argument("<environment>", "development, or shop/development")
    .requiredOption("--name <client>", "whose key it is")
    .option(
      "--only <names>",
      "can read only these variables: names and globs such as DB_*",
      parsePatterns,
    )
    .addOption(expires("when it stops being valid"))
    .addHelpText(
      "after",
      "\nExample:\n  appvars env key add production --name ana --only 'DB_*,PORT' --expires 90d",
    )
    .action((environment: string, { name, only, expires, ...flags }) =>
      runKeyAdd(
        environment,
        { name, ...(only && { only }), ...(expires && { valid_until: expires }) },
        flags,
        context,
      ),
    );
  const rotate = new Command("rotate")
    .summary("give a named key new credentials")
    .description(
      "Give a named key new credentials, and print the lines that configure a shell for it.",
    )
    .argument("<environment>", "its environment")
    .argument("<key>", "the name of the key")
    .addOption(graceOption())
    .addOption(expires("change when it stops being valid"))
    .addHelpText(
      "after",
      "\nExample:\n  appvars env key rotate production ana --grace 24h --data vars.json",
    )
    .action(async (environment: string, name: string, { grace, expires, ...flags }) => {
      const rotation = { now: context.surroundings.clock(), grace, validUntil: expires };
      await issueKey(environment, name, flags, context, ({ rotateKey }, data, pair) =>
        rotateKey(data, environment, name, pair, rotation),
      );
    });
  const remove = new Command("remove")
    .summary("remove a named key")
    .description(
      "Remove a named key: requests with it are refused once the server has reloaded its data.",
    )
    .argument("<environment>", "its environment")
    .argument("<key>", "the name of the key")
    .addHelpText("after", "\nExample:\n  appvars env key remove production ana --data vars.json")
    .action((environment: string, name: string, flags) =>
      runKeyRemove(environment, name, flags, context),
    );
  const command = new Command("key")
    .description("Manage the named keys of an environment: one for each person and service.")
    .addHelpText(
      "after",
      "\nExample:\n  appvars env key add production --name ana --data vars.json",
    );
  for (const changing of [add, rotate, remove]) addDryRun(changing);
  for (const subcommand of [list, add, rotate, remove])
    command.addCommand(addPlaceOptions(subcommand));
  return command;
}

/** ISO 8601, UTC. */
function parseExpiry(text: string, now: number): string {
  const time = parseTime(text, now, 1);
  return new Date(valid(time, time > now, "a time in the future")).toISOString();
}

function parsePatterns(text: string, previous?: readonly string[]): string[] {
  const patterns = parseNames(text, previous);
  return valid(
    patterns,
    patterns.every((pattern) => PATTERN.test(pattern)),
    PATTERN_RULE,
  );
}

async function runKeyList(
  environment: string | undefined,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { environments } = await readData(readSettings(flags, context).dataPlace, context);
  const listed =
    environment === undefined ? environments : [findEnvironment(environments, environment)];
  const keys = listed.flatMap((record) =>
    (record.keys ?? []).map(({ name, api_key, only, valid_until, rotated_at, previous }) => {
      const fields = {
        name,
        api_key,
        only,
        valid_until,
        rotated_at,
        previous: withoutSecrets(previous),
      };
      return { environment: qualifiedName(record), ...fields };
    }),
  );
  const rows = keys.map((key) => [
    key.environment,
    key.name,
    key.api_key,
    key.only?.join(),
    key.valid_until,
    key.rotated_at,
  ]);
  const headings = ["ENVIRONMENT", "NAME", "API KEY", "ONLY", "EXPIRES", "ROTATED"];
  await printTable(context, { json: keys, headings, rows, empty: "there are no named keys" });
}

async function runKeyAdd(
  environment: string,
  key: Omit<NamedKey, keyof KeyPair>,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  checkDecoded(key.name, "the name");
  if (!LABEL_PATTERN.test(key.name))
    throw new UsageError(`the name of a key must have ${LABEL_RULE}`);
  const changed = await issueKey(environment, key.name, flags, context, ({ addKey }, data, pair) =>
    addKey(data, environment, { ...key, ...pair }),
  );
  if (!changed || !key.only) return;
  const { variables } = recordsOf(changed, findEnvironment(changed.environments, environment));
  for (const pattern of createMatcher(key.only).unmatched(variables.map(({ name }) => name)))
    context.warn(`--only ${pattern} matches no variable yet`);
}

type Edits = typeof import("../../../store/edits/edit-keys.js");

/** Changes a key, and prints its new credentials. Resolves as `updateData`. */
async function issueKey(
  environment: string,
  name: string,
  flags: SourceFlags,
  context: Context,
  change: (edits: Edits, data: Data, pair: KeyPair) => Data,
): Promise<Data | undefined> {
  const { freshCredentials } = await import("../../../store/edits/edit-environments.js");
  const edits = await import("../../../store/edits/edit-keys.js");
  const pair = freshCredentials();
  const { dataPlace } = readSettings(flags, context);
  const changed = await updateData(dataPlace, context, (data) => change(edits, data, pair));
  if (!changed) return undefined;
  const of = qualifiedName(findEnvironment(changed.environments, environment));
  printLines(context, {
    json: { environment: of, name, ...pair },
    lines: credentialLines(pair, context.surroundings),
  });
  return changed;
}

async function runKeyRemove(
  environment: string,
  name: string,
  flags: SourceFlags,
  context: Context,
): Promise<void> {
  const { removeKey } = await import("../../../store/edits/edit-keys.js");
  const { dataPlace } = readSettings(flags, context);
  const changed = await updateData(dataPlace, context, (data) =>
    removeKey(data, environment, name),
  );
  if (!changed) return;
  const of = qualifiedName(findEnvironment(changed.environments, environment));
  printLines(context, { json: { environment: of, name }, lines: [] });
  context.tell(`removed the key "${name}" of ${of}`);
}
