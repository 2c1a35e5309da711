import { checkDecoded } from "../../../kit/process/this-process.js";
import { UsageError } from "../../../kit/text/errors.js";
import {
  findEnvironment,
  type KeyPair,
  NAME_PART,
  NAME_PART_RULE,
  qualifiedName,
  type RotatedPair,
} from "../../../model/environment.js";
import { createMatcher, NAME_OR_GLOB, NAME_OR_GLOB_RULE } from "../../../model/name-matcher.js";
import type { ChangeWithPair } from "../../../store/edits/edit-environments.js";
import { credentialLines } from "../../../tasks/data/key-advice.js";
import { readData, updateData } from "../../../tasks/data/open-data.js";
import type { GivenFlags } from "../../../tasks/settings/setting-table.js";
import { type Command, defineCommand } from "../../arguments/command.js";
import { CHANGE_FLAGS, LOCATION_FLAGS } from "../../arguments/data-flags.js";
import { parseDuration, parseTime, requireValid } from "../../arguments/flag-arguments.js";
import { parseNames } from "../../arguments/selection-flags.js";
import type { Context } from "../../output/context.js";
import { printLines, printTable } from "../../output/output.js";

export const GRACE = {
  "--grace <duration>": {
    help: "keep the old credentials valid for this long: 90s, 30m, 24h, 7d (default: not at all)",
    parse: parseDuration,
  },
} as const;

/** Reads no secret, which would throw for a sealed file without its key. */
export function withoutSecrets(previous: RotatedPair["previous"] = []) {
  return previous.map(({ api_key, valid_until }) => ({ api_key, valid_until }));
}

const expires = (effect: string) =>
  ({
    "--expires <time>": {
      help: `${effect}: in 90s, 30m, 24h, 7d, or at a date such as 2026-12-31`,
      parse: parseExpiry,
    },
  }) as const;

const list = defineCommand({
  description: "List the named keys of one or all environments, without secrets.",
  arguments: { "[environment]": "development, or shop/development" },
  flags: LOCATION_FLAGS,
  examples: ["appvars env key list production --data vars.json"],
  async run({ environment }, flags, context) {
    const { environments } = await readData(await context.location(flags), context);
    const listed =
      environment === undefined ? environments : [findEnvironment(environments, environment)];
    const json = [];
    const rows = [];
    for (const owner of listed)
      for (const { name, api_key, only, valid_until, rotated_at, previous } of owner.keys ?? []) {
        const environment = qualifiedName(owner);
        const key = { environment, name, api_key, only, valid_until, rotated_at };
        rows.push([environment, name, api_key, only?.join(), valid_until, rotated_at]);
        json.push({ ...key, previous: withoutSecrets(previous) });
      }
    await printTable(context, {
      json,
      headings: ["ENVIRONMENT", "NAME", "API KEY", "ONLY", "EXPIRES", "ROTATED"],
      rows,
      empty: "there are no named keys",
    });
  },
});

const add = defineCommand({
  description: `Give a person or a service a key of their own,
    and print the lines that configure a shell for it.`,
  arguments: { "<environment>": "development, or shop/development" },
  flags: {
    "--name <client>": {
      help: "the person or service that gets the key",
      required: true,
    },
    "--only <names>": {
      help: "can read only these variables: names and globs such as DB_*",
      parse: parsePatterns,
      repeatable: true,
    },
    ...expires("when it stops being valid"),
    ...CHANGE_FLAGS,
    ...LOCATION_FLAGS,
  },
  examples: ["appvars env key add production --name ana --only 'DB_*,PORT' --expires 90d"],
  async run({ environment }, { name, only, expires, ...flags }, context) {
    const key = { name, ...(only && { only }), ...(expires && { valid_until: expires }) };
    checkDecoded(name, "the name");
    if (!NAME_PART.test(name))
      throw new UsageError(`the name of a key must have ${NAME_PART_RULE}`);
    const { addKey } = await loadEdits();
    const changed = await issue(flags, context, (data, pair) =>
      addKey(data, environment, { ...key, ...pair }),
    );
    if (!changed || !only) return;
    const owner = findEnvironment(changed.environments, environment);
    const variables = changed.variables.filter((each) => each.application === owner.application);
    const names = variables.map(({ name }) => name);
    for (const pattern of createMatcher(only).unmatched(names))
      context.warn(`--only ${pattern} matches no variable yet`);
  },
});

const rotate = defineCommand({
  description: `Give a named key new credentials, and print the
    lines that configure a shell for it.`,
  arguments: {
    "<environment>": "its environment",
    "<key>": "the name of the key",
  },
  flags: {
    ...GRACE,
    ...expires("change when it stops being valid"),
    ...CHANGE_FLAGS,
    ...LOCATION_FLAGS,
  },
  examples: ["appvars env key rotate production ana --grace 24h --data vars.json"],
  async run({ environment, key }, { grace = 0, expires, ...flags }, context) {
    const rotation = { now: context.surroundings.clock(), grace, validUntil: expires };
    const { rotateKey } = await loadEdits();
    await issue(flags, context, (data, pair) => rotateKey(data, environment, key, pair, rotation));
  },
});

const remove = defineCommand({
  description: `Remove a named key: requests with it are refused
    once the server has reloaded its data.`,
  arguments: {
    "<environment>": "its environment",
    "<key>": "the name of the key",
  },
  flags: { ...CHANGE_FLAGS, ...LOCATION_FLAGS },
  examples: ["appvars env key remove production ana --data vars.json"],
  async run({ environment, key: name }, flags, context) {
    const { removeKey } = await loadEdits();
    const changed = await updateData(await context.location(flags), context, (data) =>
      removeKey(data, environment, name),
    );
    if (!changed) return;
    const owner = qualifiedName(findEnvironment(changed.environments, environment));
    printLines(context, { json: { environment: owner, name } });
    context.tell(`removed the key "${name}" of ${owner}`);
  },
});

export const key: Command = {
  description: "Manage the named keys of an environment: one for each person and service.",
  examples: ["appvars env key add production --name ana --data vars.json"],
  commands: { list, add, rotate, remove },
};

/** Returns ISO 8601, UTC. */
function parseExpiry(text: string, clock: () => number): string {
  const now = clock();
  const time = parseTime(text, now, 1);
  return new Date(requireValid(time, time > now, "a time in the future")).toISOString();
}

function parsePatterns(text: string): string[] {
  const patterns = parseNames(text);
  const isValid = patterns.every((pattern) => NAME_OR_GLOB.test(pattern));
  return requireValid(patterns, isValid, NAME_OR_GLOB_RULE);
}

export const loadEdits = () => import("../../../store/edits/edit-environments.js");

/**
 * Gives new credentials to an environment or a key, and prints them. Resolves
 * as `updateData`.
 */
export async function issue(flags: GivenFlags, context: Context, change: ChangeWithPair) {
  const { issueCredentials } = await loadEdits();
  const location = await context.location(flags);
  let changed: Awaited<ReturnType<typeof updateData>>;
  const { environment, client, pair } = await issueCredentials(async (edit) => {
    changed = await updateData(location, context, edit);
  }, change);
  if (!changed) return undefined;
  const { application, name } = environment;
  const key = { environment: qualifiedName(environment), name: client };
  printPair(client === undefined ? { application, name } : key, pair, context);
  return changed;
}

/**
 * Prints the lines that configure a shell.
 *
 * @param names the fields before them with `--json`
 */
export function printPair(names: object, pair: KeyPair, context: Context): void {
  const lines = credentialLines(pair, context.surroundings);
  printLines(context, { json: { ...names, ...pair }, lines });
}
