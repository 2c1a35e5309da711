import { constants, type Stats } from "node:fs";
import { appendFile, lstat, realpath, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { createFile, fingerprint, replaceFile, syncFolder } from "../../kit/files/durable-file.js";
import { keepOwner } from "../../kit/files/file-lock.js";
import { type FileContent, readRegularFile } from "../../kit/files/open-file.js";
import { foreignWriter, refuseReadOnly } from "../../kit/files/owners.js";
import {
  hasCode,
  ifMissing,
  NotDurableError,
  toInvalidFile,
} from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import type { Data } from "../data.js";
import {
  type Author,
  type Change,
  type History,
  recordedData,
  withoutCredentials,
} from "../history.js";
import { changesBetween } from "../record-changes.js";
import { MAX_DATA_SIZE, readDataFile } from "./data-file.js";
import type { FileSealing } from "./file-sealing.js";
import {
  type FileState,
  type HistoryEnd,
  type HistoryLine,
  judge,
  newestLines,
  outsideLine,
  parseLines,
  sealLines,
  stateOf,
  toLine,
} from "./history-lines.js";

/** The most entries of a history, unless the data file sets another number. */
const MAX_ENTRIES = 1_000;
/** The most bytes of its entries. */
const MAX_BYTES = 10 * 1_048_576;
/** The share that is kept once there are more, so that few writes rewrite the file. */
const KEPT = 0.9;
/** Flags that append to a history, but don't create it. */
const EXISTING = { flag: constants.O_WRONLY | constants.O_APPEND };

export function historyPathOf(path: string): string {
  return `${path}.history.jsonl`;
}

export interface FileWrite {
  readonly data: Data;
  readonly next: Data;
  /** The state of the file before and after it. */
  readonly states: readonly [before: string, after: string];
  readonly author: Author;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
  /** Set if the data file is sealed, before the write or after it. */
  readonly sealing: FileSealing | undefined;
}

/**
 * Records a write in the history of a data file. It is on disk when this resolves, and counts once
 * the data file has been replaced.
 *
 * @param path of the data file, under its lock
 * @returns a function that marks the write, once the new data file is on disk. If that fails, the
 *   write counts only as long
 *   as no other program changes the data file
 * @throws InvalidDataError with a predicate about the data file, which must not be replaced then
 */
export async function recordWrite(path: string, write: FileWrite): Promise<() => Promise<void>> {
  const history = historyPathOf(path);
  const size = await record(history, await stat(path), write).catch((error: unknown) => {
    // The data file has not changed.
    const reason = error instanceof NotDurableError ? error.cause : error;
    throw new InvalidDataError(
      `can't be changed: ${toInvalidFile(history, reason, "can't be written").message}`,
    );
  });
  return async () => {
    if (size === (await stat(history)).size) await appendFile(history, "\n", EXISTING);
  };
}

/** @returns the size of the history; undefined if nothing was recorded */
async function record(
  path: string,
  dataFile: Stats,
  write: FileWrite,
): Promise<number | undefined> {
  const { data, next, author, clock, sealing } = write;
  const [before, state] = write.states;
  const limit = next.history?.entries ?? MAX_ENTRIES;
  if (limit === 0) await unlink(path).catch(ifMissing(undefined));
  if (limit === 0 || state === before) return undefined;
  const changes = changesBetween(data, next).map(withoutCredentials);
  const time = new Date(clock()).toISOString();
  const lineAfter = (id: number) =>
    toLine(
      changes.length > 0 ? { id: id + 1, state, time, ...author, changes } : { id, state },
      sealing,
    );
  const old = await readHistory(path, dataFile);
  if (old) refuseReadOnly(path, old.stats);
  const last = old && judge(old.bytes, before);
  // The baseline is about as large as the data.
  const isFull = last && (last.entries >= limit || last.end > MAX_BYTES + dataFile.size);
  // Its writer may have been killed before the folder was synced.
  if (last?.isMarked === false) await syncFolder(dirname(path));
  if (last?.isWhole && last.state === before && !isFull && !sealing?.isDue) {
    const text = (last.isMarked ? "" : "\n") + lineAfter(last.highestId);
    await appendFile(path, text, { ...EXISTING, flush: true });
  } else {
    const share = isFull ? KEPT : 1;
    const found = { data, state: before, time: dataFile.mtime, sealing };
    const { id, lines } =
      old && last ? wholeLines(old.bytes, last, found) : { id: 0, lines: Buffer.of() };
    const kept = newestLines(lines, Math.floor(limit * share) - 1, MAX_BYTES * share);
    const added = toLine({ id, state: before, data: recordedData(data) }, sealing) + lineAfter(id);
    // Users who can read the data file don't need its older secrets.
    const { gid, mode } = old?.stats ?? { ...dataFile, mode: 0 };
    await replaceFile(path, [kept, Buffer.from(added)], (file) =>
      keepOwner({ uid: dataFile.uid, gid, mode }, file),
    );
  }
  return (await stat(path)).size;
}

/** The lines that count, with one for changes from outside, and the id of the last one. */
function wholeLines(bytes: Buffer, last: HistoryEnd, found: FileState) {
  const { sealing } = found;
  const lines = bytes.subarray(0, last.end);
  const outside = outsideLine(lines, last, found);
  const known = [sealing?.isDue ? sealLines(lines, sealing) : lines];
  if (outside) known.push(Buffer.from(toLine(outside, sealing)));
  return { id: outside?.id ?? last.highestId, lines: Buffer.concat(known) };
}

/**
 * Reads a history.
 *
 * @returns undefined if there is none
 * @throws InvalidDataError for a link, and if users who can't change the data file can change this
 *   one
 */
async function readHistory(path: string, dataFile: Stats): Promise<FileContent | undefined> {
  const stats = await lstat(path).catch(ifMissing(undefined));
  const owner = { user: dataFile.uid, groups: [dataFile.gid] };
  const risk = foreignWriter(dataFile, owner) ? undefined : foreignWriter(stats, owner);
  const problem = stats?.isFile() === false ? "is not a regular file" : risk;
  if (problem) throw new InvalidDataError(`${problem}: move it away`);
  return stats && readRegularFile(path, MAX_DATA_SIZE);
}

/**
 * The history of a data file, with the changes of other programs, which the next write would
 * record.
 *
 * @throws InvalidDataError with a predicate about the data file; while the changes are read, with
 *   the whole message
 */
export async function readFileHistory(path: string, sealing?: FileSealing): Promise<History> {
  const file = await realpath(path).catch(() => path);
  const history = historyPathOf(file);
  for (;;) {
    const version = fingerprint(file);
    const data = await readDataFile(file, { open: sealing?.open });
    const { bytes, stats } = await readRegularFile(file, MAX_DATA_SIZE);
    const found = { data, state: stateOf(bytes), time: stats.mtime, sealing };
    const reading = readHistory(history, stats);
    await reading.catch(() => {});
    // Otherwise a writer has changed both in between.
    if (version === fingerprint(file)) return { data, changes: changesIn(history, reading, found) };
  }
}

async function* changesIn(
  path: string,
  reading: Promise<FileContent | undefined>,
  found: FileState,
): AsyncGenerator<Change> {
  try {
    const { bytes } = (await reading) ?? {};
    if (!bytes) return;
    const last = judge(bytes, found.state);
    const lines = bytes.subarray(0, last.end);
    const outside = outsideLine(lines, last, found);
    if (outside) yield* changeIn(outside);
    for (const line of parseLines(lines, found.sealing)) yield* changeIn(line);
  } catch (error) {
    throw toInvalidFile(path, error, "can't be read");
  }
}

function changeIn({ state: _, ...line }: HistoryLine): Change[] {
  return line.changes ? [line as Change] : [];
}

/**
 * Copies a history to a data file that has none.
 *
 * @throws InvalidDataError with the whole message
 */
export async function copyHistory(
  path: string,
  { data, changes }: History,
  sealing?: FileSealing,
): Promise<void> {
  const known: Change[] = [];
  for await (const change of changes) known.push(change);
  const [{ id } = {}] = known;
  if (id === undefined) return;
  const state = stateOf((await readRegularFile(path, MAX_DATA_SIZE)).bytes);
  const all = [...known.reverse(), { id, data: recordedData(data) }];
  const lines = all.map((line) => toLine({ ...{ id, state }, ...line }, sealing));
  const file = historyPathOf(await realpath(path));
  await createFile(file, lines.join("")).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw toInvalidFile(file, error, "can't be written");
  });
}
