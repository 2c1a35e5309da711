import { constants, type Stats } from "node:fs";
import { appendFile, lstat, realpath, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { createFile, fingerprint, replaceFile, syncFolder } from "../../kit/files/durable-file.js";
import { type FileContent, readRegularFile } from "../../kit/files/open-file.js";
import { foreignWriter, keepOwner, refuseReadOnly } from "../../kit/files/owners.js";
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
  changesBetween,
  type History,
  recordedData,
  withoutCredentials,
} from "../history.js";
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

/** The largest number of entries, unless the data file sets another. */
const MAX_ENTRIES = 1_000;
/** The largest size of all entries, in bytes. */
const MAX_BYTES = 10 * 1_048_576;
/** The share that stays once there are more, so that few writes rewrite the file. */
const REST = 0.9;
/** Does not create the file. */
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
 * Records a write in the history of a data file, whose lock is held. The line is on disk when this
 * resolves, and valid once the data file has been replaced (docs/design/history.md).
 *
 * @returns a function that marks the line, for when the new data file is on disk
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

/** @returns the size of the history; `undefined` if nothing was recorded */
async function record(
  path: string,
  dataFile: Stats,
  write: FileWrite,
): Promise<number | undefined> {
  const { next, sealing } = write;
  const [before, state] = write.states;
  const limit = next.history?.entries ?? MAX_ENTRIES;
  if (limit === 0) await unlink(path).catch(ifMissing);
  if (limit === 0 || state === before) return undefined;
  const old = await readHistory(path, dataFile);
  if (old) refuseReadOnly(path, old.stats);
  const last = old && judge(old.bytes, before);
  // The writer of the line may have been killed before the folder was synced.
  if (last?.isMarked === false) await syncFolder(dirname(path));
  // The baseline is about as large as the data.
  const isFull = last && (last.entries >= limit || last.end > MAX_BYTES + dataFile.size);
  if (last?.isWhole && last.state === before && !isFull && !sealing?.isDue) {
    const text = (last.isMarked ? "" : "\n") + changeLine(write, last.highestId + 1);
    await appendFile(path, text, { ...EXISTING, flush: true });
  } else {
    const present = { data: write.data, state: before, time: dataFile.mtime, sealing };
    const valid = old && last ? validLines(old.bytes, last, present) : NO_LINES;
    const share = isFull ? REST : 1;
    const newest = newestLines(valid.lines, Math.floor(limit * share) - 1, MAX_BYTES * share);
    const { id } = valid;
    const baseline = toLine({ id, state: before, data: recordedData(write.data) }, sealing);
    const added = Buffer.from(baseline + changeLine(write, id + 1));
    // Users who can read the data file don't need its older secrets.
    const { gid, mode } = old?.stats ?? { ...dataFile, mode: 0 };
    const owner = { uid: dataFile.uid, gid, mode };
    await replaceFile(path, [newest, added], (file) => keepOwner(owner, file));
  }
  return (await stat(path)).size;
}

function changeLine({ data, next, states, author, clock, sealing }: FileWrite, id: number): string {
  const changes = changesBetween(data, next).map(withoutCredentials);
  const [, state] = states;
  const time = new Date(clock()).toISOString();
  const line = changes.length > 0 ? { id, state, time, ...author, changes } : { id: id - 1, state };
  return toLine(line, sealing);
}

const NO_LINES = { id: 0, lines: Buffer.of() };

/** The valid lines with one for changes by other programs, and the id of the last line. */
function validLines(bytes: Buffer, last: HistoryEnd, present: FileState): typeof NO_LINES {
  const { sealing } = present;
  const lines = bytes.subarray(0, last.end);
  const outside = outsideLine(lines, last, present);
  const all = [sealing?.isDue ? sealLines(lines, sealing) : lines];
  if (outside) all.push(Buffer.from(toLine(outside, sealing)));
  return { id: outside?.id ?? last.highestId, lines: Buffer.concat(all) };
}

/**
 * @returns undefined if there is none
 * @throws InvalidDataError for a link, and if users who can't change the data file can change it
 */
async function readHistory(path: string, dataFile: Stats): Promise<FileContent | undefined> {
  const stats = await lstat(path).catch(ifMissing);
  const owner = { user: dataFile.uid, groups: [dataFile.gid] };
  const risk = foreignWriter(dataFile, owner) ? undefined : foreignWriter(stats, owner);
  const problem = stats?.isFile() === false ? "is not a regular file" : risk;
  if (problem) throw new InvalidDataError(`${problem}: move it away`);
  return stats && readRegularFile(path, MAX_DATA_SIZE);
}

/**
 * The history of a data file, with the changes of other programs.
 *
 * @throws InvalidDataError with a predicate; while the changes are read, with the whole message
 */
export async function readFileHistory(path: string, sealing?: FileSealing): Promise<History> {
  const file = await realpath(path).catch(() => path);
  const history = historyPathOf(file);
  for (;;) {
    const version = fingerprint(file);
    const data = await readDataFile(file, { open: sealing?.open });
    const { bytes, stats } = await readRegularFile(file, MAX_DATA_SIZE);
    const present = { data, state: stateOf(bytes), time: stats.mtime, sealing };
    const reading = readHistory(history, stats);
    await reading.catch(() => {});
    // Otherwise a writer has changed both in between.
    if (version === fingerprint(file))
      return { data, changes: changesIn(history, reading, present) };
  }
}

async function* changesIn(
  path: string,
  reading: Promise<FileContent | undefined>,
  present: FileState,
): AsyncGenerator<Change> {
  try {
    const { bytes } = (await reading) ?? {};
    if (!bytes) return;
    const last = judge(bytes, present.state);
    const lines = bytes.subarray(0, last.end);
    const outside = outsideLine(lines, last, present);
    if (outside) yield* changeIn(outside);
    for (const line of parseLines(lines, present.sealing)) yield* changeIn(line);
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
  const newestFirst: Change[] = [];
  for await (const change of changes) newestFirst.push(change);
  const [{ id } = {}] = newestFirst;
  if (id === undefined) return;
  const state = stateOf((await readRegularFile(path, MAX_DATA_SIZE)).bytes);
  const all = [...newestFirst.reverse(), { id, data: recordedData(data) }];
  const lines = all.map((line) => toLine({ ...{ id, state }, ...line }, sealing));
  const file = historyPathOf(await realpath(path));
  await createFile(file, lines.join("")).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw toInvalidFile(file, error, "can't be written");
  });
}
