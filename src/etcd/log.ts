import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { InvalidDataError } from "../kit/text/errors.js";
import type { RecordChange } from "../store/record-changes.js";
import { parseStored, RECORD_CHANGE } from "./stored-changes.js";

// The keys of a store, after its prefix:
//   head                 which writes and which snapshot count
//   log/VERSION          one entry for each write
//   parts/WRITE/NUMBER   the pieces of a large entry or of a snapshot
//   turn                 on a lease: only its owner can write, after others were faster for too long
//   uploads/WRITE        on a lease while a writer puts these pieces; afterwards, what they belong to
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
/** Changes beyond this are in parts. */
export const MAX_ENTRY_BYTES = 256 * 1_024;

/** Padded, so that the order of keys is that of versions. */
export function logKey(version: number): string {
  return KEYS.log + String(version).padStart(16, "0");
}

export function partKey(write: string, number: number): string {
  return `${KEYS.parts}${write}/${String(number).padStart(6, "0")}`;
}

const id = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{22}$/));
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const lastId = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const label = v.pipe(v.string(), v.maxLength(300));

/**
 * All data at one version: that version and the write that made it, and the upload with the parts.
 */
const SNAPSHOT = v.strictObject({
  version: count,
  write: id,
  upload: id,
  parts: count,
  /** The size of the data, before it is packed. */
  bytes: count,
});

/** What counts: the data is the snapshot and the log after it, up to the version. */
const HEAD = v.strictObject({
  format: v.literal(FORMAT),
  store: id,
  /** Counts writes. The first one, which creates the store, is 1. */
  version: count,
  /** The write that made the version. */
  write: id,
  snapshot: SNAPSHOT,
  /** Kept for readers that have begun with it. */
  previous: v.optional(SNAPSHOT),
});
export type Head = Readonly<v.InferOutput<typeof HEAD>>;

const ENTRY = v.strictObject({
  write: id,
  /** The write before it. The first one has its own id. */
  previous: id,
  /** By the writer's clock, for people: nothing depends on it. */
  time: v.pipe(v.string(), v.isoTimestamp()),
  actor: label,
  command: label,
  last_ids: v.optional(v.strictObject({ environments: lastId, variables: lastId, values: lastId })),
  /** The changes, or the number of parts with them. */
  changes: v.union([count, v.array(RECORD_CHANGE)]),
});
export type Entry = Readonly<Omit<v.InferOutput<typeof ENTRY>, "changes">> & {
  readonly changes: readonly RecordChange[] | number;
};

/** @throws InvalidDataError with a predicate as its message */
export function parseHead(bytes: Buffer): Head {
  if (bytes.length > MAX_HEAD_BYTES) throw new InvalidDataError("is too large for a head");
  const { format } = parseStored(v.looseObject({ format: v.unknown() }), bytes);
  if (Number.isSafeInteger(format) && format !== FORMAT)
    throw new InvalidDataError(`has the format ${format}; this appvars reads format ${FORMAT}`);
  const head = parseStored(HEAD, bytes);
  if (head.snapshot.version > head.version) throw new InvalidDataError("breaks a rule");
  return head;
}

/** @throws InvalidDataError with a predicate as its message */
export function parseEntry(bytes: Buffer): Entry {
  return parseStored(ENTRY, bytes);
}

/** 128 random bits. */
export function newId(): string {
  return randomBytes(16).toString("base64url");
}
