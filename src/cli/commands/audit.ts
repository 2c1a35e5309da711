import { createReadStream } from "node:fs";
import { toInvalidFile } from "../../kit/files/system-errors.js";
import { InvalidDataError, NotFoundError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import { isObject } from "../../kit/text/rules.js";
import { parseJson } from "../../kit/text/strict-json.js";
import { qualifiedName } from "../../model/environment.js";
import type { ValueRecord } from "../../store/data.js";
import { type History, idOf, OUTSIDE } from "../../store/history.js";
import { readHistory } from "../../tasks/data/open-data.js";
import { readSettings } from "../../tasks/settings/resolve-settings.js";
import { defineCommand } from "../arguments/command.js";
import { PLACE_FLAGS } from "../arguments/data-flags.js";
import { parseTime } from "../arguments/flag-arguments.js";
import { printTable } from "../output/context.js";

export const definition = defineCommand({
  description: `List the values that clients have read,
    according to the audit log of a server, and that are still
    the same: what to replace when somebody leaves. A client is
    a named key; without a name, it is the key of the
    environment. The history of the data tells whether a value
    has changed since.`,
  arguments: { "<file...>": "the audit log, and rotated parts of it" },
  flags: {
    "--since <time>": {
      help: "only reads since a date such as 2026-01-31, or in the last 90s, 30m, 24h, 7d",
      parse: (text: string, clock: () => number) => parseTime(text, clock(), -1),
    },
    "--client <name>": "only reads with the named key of this name",
    ...PLACE_FLAGS,
  },
  examples: ["appvars audit audit.log --since 2026-01-31 --client ana --data vars.json"],
  async run({ file: files }, { since = Number.NEGATIVE_INFINITY, client, ...flags }, context) {
    const { dataPlace } = readSettings(flags, context);
    const { data, find } = await readHistory(dataPlace, context, currentValues);
    const reads = new Map<string, ReadCount>();
    const keys = data.environments.flatMap((environment) => environment.keys ?? []);
    const clients = new Set(keys.map(({ name }) => name));
    for (const file of files) {
      let lost = 0;
      for await (const line of readLines(file)) {
        lost += line.lines_lost ?? 0;
        if (line.client !== undefined) clients.add(line.client);
        if (client === undefined || line.client === client) countReads(line, since, find, reads);
      }
      if (lost > 0)
        context.warn(`${file} lacks ${lost} requests, which the server could not record`);
    }
    if (client !== undefined && !clients.has(client))
      throw new NotFoundError(
        `there is no client "${client}" in the audit log${suggestion(client, [...clients])}`,
      );
    const json = [...reads.values()];
    await printTable(context, {
      json,
      headings: ["ENVIRONMENT", "CLIENT", "NAME", "READS", "LAST READ"],
      rows: json.map(({ environment, client, name, reads, last_read }) => {
        return [environment, client, name, String(reads), last_read];
      }),
      empty: "no value that was read is still the same",
    });
  },
});

interface ReadCount {
  readonly environment: string;
  /** `undefined` for the key of the environment. */
  readonly client: string | undefined;
  readonly name: string;
  reads: number;
  /** ISO 8601, UTC. */
  last_read: string;
}

/** Adds the values that a request has read. @param since Unix milliseconds */
function countReads(
  { time, client, read = [] }: Line,
  since: number,
  find: Awaited<ReturnType<typeof currentValues>>["find"],
  reads: Map<string, ReadCount>,
): void {
  const readAt = Date.parse(time);
  if (readAt < since) return;
  // No record has the id 0.
  for (const { value_id: id = 0 } of read) {
    const names = find(id, readAt);
    if (!names) continue;
    const key = `${id} ${client ?? ""}`;
    const row = reads.get(key) ?? { ...names, client, reads: 0, last_read: time };
    reads.set(key, row);
    row.reads++;
    if (readAt > Date.parse(row.last_read)) row.last_read = time;
  }
}

/** A change of a value. One by another program was made at any time since the change before. */
interface ValueChange {
  /** Unix milliseconds. */
  earliest: number;
  readonly latest: number;
  readonly before: string | undefined;
}

/** `find` finds a value that was read at a time, in Unix milliseconds, if it is still the same. */
async function currentValues({ data, changes }: History) {
  const environments = new Map(
    data.environments.map((record) => [record.id, qualifiedName(record)]),
  );
  const names = new Map(data.variables.map(({ id, name }) => [id, name]));
  const values = new Map(data.values.map((record) => [record.id, record]));
  /** The changes of each value by its id, newest first. */
  const changesOf = new Map<number, ValueChange[]>();
  let outside: ValueChange[] = [];
  for await (const { time, command, changes: records } of changes) {
    const latest = Date.parse(time);
    for (const change of outside) change.earliest = latest;
    outside = [];
    const earliest = command === OUTSIDE ? Number.NEGATIVE_INFINITY : latest;
    for (const change of records) {
      if (change.list !== "values") continue;
      const id = idOf(change);
      const valueChange = { earliest, latest, before: contentOf(change.before) };
      const ofValue = changesOf.get(id) ?? [];
      changesOf.set(id, ofValue);
      ofValue.push(valueChange);
      if (command === OUTSIDE) outside.push(valueChange);
    }
  }
  const find = (id: number, time: number) => {
    const record = values.get(id);
    // The first change after a read replaced what was read. A later one may have brought it back.
    const isSame = (["earliest", "latest"] as const).some((when) => {
      const replaced = changesOf.get(id)?.findLast((change) => change[when] > time);
      return !replaced || replaced.before === contentOf(record);
    });
    if (!record || !isSame) return undefined;
    return {
      environment: environments.get(record.environment_id) ?? "",
      name: names.get(record.variable_id) ?? "",
    };
  };
  return { data, find };
}

function contentOf(record: object | null | undefined): string | undefined {
  return record ? JSON.stringify((record as ValueRecord).content.value) : undefined;
}

interface Line {
  readonly time: string;
  readonly client?: string;
  readonly read?: readonly { readonly value_id?: number }[];
  readonly lines_lost?: number;
}

/** The longest line, in characters: a read of 100,000 variables with the longest names. */
const MAX_LINE = 32 * 1_048_576;

/** @throws InvalidDataError that names the file and the line, and does not quote it */
async function* readLines(path: string): AsyncGenerator<Line> {
  let [rest, number] = ["", 0];
  try {
    const options = { encoding: "utf8", highWaterMark: 1_048_576 } as const;
    for await (const piece of createReadStream(path, options)) {
      const lines = `${rest}${piece}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parseLine(line, path, ++number);
      if (rest.length > MAX_LINE)
        throw new InvalidDataError(`${path} line ${number + 1} is longer than 32 MB`);
    }
  } catch (error) {
    throw error instanceof InvalidDataError ? error : toInvalidFile(path, error, "can't be read");
  }
  if (rest !== "") yield parseLine(rest, path, number + 1);
}

function parseLine(text: string, path: string, number: number): Line {
  try {
    const line = parseJson(text) as unknown as Line;
    const { time, client = "", read = [], lines_lost = 0 } = line;
    const isValid =
      typeof client === "string" && read.every(isObject) && Number.isFinite(lines_lost);
    if (isValid && Number.isFinite(Date.parse(time))) return line;
  } catch {
    // Not JSON, or of other types.
  }
  throw new InvalidDataError(`${path} line ${number} is not of an audit log`);
}
