import { randomBytes } from "node:crypto";
import { parseUtcMs } from "../kit/text/duration.js";
import { InvalidDataError } from "../kit/text/errors.js";
import { ANYTHING, applyRule, optional, POSITIVE, type Rule, rule } from "../kit/text/rules.js";
import type { Data } from "../store/data.js";
import { RECORD_CHANGE_RULE, type RecordChange } from "../store/history.js";
import { LAST_IDS_RULE } from "../store/schema/data-rules.js";
import { decodeStoredText, parseStoredText } from "../store/schema/parse-data.js";

// The keys of a store, after its prefix:
//   head                 which writes and which snapshot are valid
//   log/VERSION          an entry for each write
//   parts/WRITE/NUMBER   the parts of a large entry or of a snapshot
//   turn                 on a lease: lets a writer that was overtaken for too long write alone
//   uploads/WRITE        on a lease while its parts are written; afterwards, what they belong to
// Entries and parts never change.
export const KEYS = {
  head: "head",
  log: "log/",
  parts: "parts/",
  turn: "turn",
  uploads: "uploads/",
} as const;

export const FORMAT = 2;
const MAX_HEAD_BYTES = 2_048;
/** Larger changes are written in parts. */
export const MAX_ENTRY_BYTES = 256 * 1_024;

/** Returns a key that sorts by version. */
export function logKey(version: number): string {
  return KEYS.log + String(version).padStart(16, "0");
}

export function partKey(write: string, number: number): string {
  return `${KEYS.parts}${write}/${String(number).padStart(6, "0")}`;
}

const id = rule({ text: /^[A-Za-z0-9_-]{22}$/ });
const label = rule({ text: /^.{0,300}$/s });

/** All data at one version. */
interface LogSnapshot {
  readonly version: number;
  /** The id of the write that made the version. */
  readonly write: string;
  /** The id of the upload. */
  readonly upload: string;
  /** The number of its parts. */
  readonly parts: number;
  /** The size of the data before packing. */
  readonly bytes: number;
}
const snapshot: Record<keyof LogSnapshot, Rule> = {
  version: POSITIVE,
  write: id,
  upload: id,
  parts: POSITIVE,
  bytes: POSITIVE,
};

/** Determines the data: the snapshot, and the log after it up to the version. */
export interface Head {
  readonly format: typeof FORMAT;
  /** The id of the store. */
  readonly store: string;
  /** The number of writes. */
  readonly version: number;
  /** The id of the last write. */
  readonly write: string;
  readonly snapshot: LogSnapshot;
  /** The snapshot before, which readers may have begun with. */
  readonly previous?: LogSnapshot | undefined;
}
const head: Record<keyof Head, Rule> = {
  format: rule({ oneOf: [FORMAT] }),
  store: id,
  version: POSITIVE,
  write: id,
  snapshot: rule({ fields: snapshot }),
  previous: optional(rule({ fields: snapshot })),
};

const ANY_FORMAT = rule({ fields: { format: optional(ANYTHING) }, allowsUnknown: true });

export interface LogEntry {
  readonly write: string;
  /** The id of the write before; the first write names itself. */
  readonly previous: string;
  /** The time on the writer's clock, only for people to read. */
  readonly time: string;
  readonly actor: string;
  readonly command: string;
  readonly last_ids?: Data["last_ids"];
  /** The changes, or the number of parts with them. */
  readonly changes: readonly RecordChange[] | number;
}
const changes = rule({ items: RECORD_CHANGE_RULE });
const entry: Record<keyof LogEntry, Rule> = {
  write: id,
  previous: id,
  time: rule({ text: { test: (input) => Number.isFinite(parseUtcMs(input)) } }),
  actor: label,
  command: label,
  last_ids: optional(LAST_IDS_RULE),
  changes: rule({ choose: (input) => (typeof input === "number" ? POSITIVE : changes) }),
};

// Each of these parsers throws an InvalidDataError without a subject as its
// message.

export function parseHead(bytes: Buffer): Head {
  if (bytes.length > MAX_HEAD_BYTES) throw new InvalidDataError("is too large for a head");
  const { format } = parseStored<{ format?: unknown }>(ANY_FORMAT, bytes);
  if (Number.isSafeInteger(format) && format !== FORMAT)
    throw new InvalidDataError(`has the format ${format}; this appvars reads format ${FORMAT}`);
  const parsed = parseStored<Head>(rule({ fields: head }), bytes);
  if (parsed.snapshot.version > parsed.version) throw new InvalidDataError("breaks a rule");
  return parsed;
}

export function parseLogEntry(bytes: Buffer): LogEntry {
  return parseStored(rule({ fields: entry }), bytes);
}

/** Parses {@link changeLines}. */
export function* parseChanges(bytes: Buffer): Generator<RecordChange> {
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf(0x0a, start);
    if (end < 0) end = bytes.length;
    yield parseStored(RECORD_CHANGE_RULE, bytes.subarray(start, end));
  }
}

function parseStored<T>(rule: Rule, bytes: Buffer): T {
  const json = parseStoredText(decodeStoredText(bytes));
  return applyRule<T>(rule, json, () => new InvalidDataError("breaks a rule"));
}

export function changeLines(changes: readonly RecordChange[]): Buffer {
  return Buffer.from(changes.map((change) => JSON.stringify(change)).join("\n"));
}

/** Returns 128 random bits in base64url. */
export function newId(): string {
  return randomBytes(16).toString("base64url");
}
