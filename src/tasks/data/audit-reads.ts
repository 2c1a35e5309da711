import { createReadStream } from "node:fs";
import { toInvalidFile } from "../../kit/files/system-errors.js";
import { InvalidDataError, NotFoundError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import {
  applyRule,
  COUNT,
  optional,
  POSITIVE,
  type Rule,
  rule,
  TEXT,
} from "../../kit/text/rules.js";
import { parseJson } from "../../kit/text/strict-json.js";
import type { AuditLine, RecordIdentity } from "../../model/audit-line.js";
import { createReadCounter, type ReadCount } from "../../store/read-counter.js";
import type { DataLocation } from "../settings/connection.js";
import type { Caller } from "../surroundings.js";
import { readHistory } from "./open-data.js";

/**
 * The longest line, in characters: a read of 100,000 variables with the longest
 * names.
 */
const MAX_LINE = 32 * 1_048_576;

interface AuditOptions {
  /** Unix milliseconds. */
  since: number;
  client: string | undefined;
}

/**
 * Counts the reads in audit logs of values that are still the same.
 *
 * @throws NotFoundError for an unknown client
 */
export async function auditReads(
  files: readonly string[],
  { since, client }: AuditOptions,
  location: DataLocation,
  caller: Caller,
): Promise<ReadCount[]> {
  const { data, reads, count } = await readHistory(location, caller, createReadCounter);
  const keys = data.environments.flatMap((environment) => environment.keys ?? []);
  const clients = new Set(keys.map(({ name }) => name));
  for (const file of files) {
    let lost = 0;
    for await (const line of readLines(file)) {
      lost += line.lines_lost ?? 0;
      if (line.client !== undefined) clients.add(line.client);
      if (client === undefined || line.client === client) count(line, since);
    }
    if (lost > 0) caller.warn(`${file} lacks ${lost} requests, which the server could not record`);
  }
  if (client !== undefined && !clients.has(client))
    throw new NotFoundError(
      `there is no client "${client}" in the audit log${suggestion(client, [...clients])}`,
    );
  return [...reads.values()];
}

/** @throws InvalidDataError that does not quote the line */
async function* readLines(path: string): AsyncGenerator<AuditLine> {
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

const record: Record<keyof RecordIdentity, Rule> = {
  variable_id: POSITIVE,
  name: TEXT,
  value_id: optional(POSITIVE),
};
/** The fields of an {@link AuditLine} that are used. */
const LINE = rule({
  allowsUnknown: true,
  fields: {
    time: rule({ text: { test: (time) => Number.isFinite(Date.parse(time)) } }),
    client: optional(TEXT),
    read: optional(rule({ items: rule({ fields: record, allowsUnknown: true }) })),
    lines_lost: optional(COUNT),
  },
});

function parseLine(text: string, path: string, number: number): AuditLine {
  try {
    return applyRule(LINE, parseJson(text), () => new Error());
  } catch {
    throw new InvalidDataError(`${path} line ${number} is not of an audit log`);
  }
}
