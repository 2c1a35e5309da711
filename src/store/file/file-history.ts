import { constants, type Stats } from "node:fs";
import { appendFile, lstat, realpath, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { createFile, fingerprint, replaceFile, syncFolder } from "../../kit/files/durable-file.js";
import {
  foreignWriter,
  keepOwner,
  type Ownership,
  refuseReadOnly,
} from "../../kit/files/owners.js";
import { type FileContent, readRegularFile } from "../../kit/files/read-file.js";
import {
  hasCode,
  ifMissing,
  NotDurableError,
  toInvalidFile,
} from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { MAX_DATA_SIZE } from "../bytes/data-text.js";
import type { FileSealing } from "../bytes/file-sealing.js";
import type { Data } from "../data.js";
import {
  type Author,
  changesBetween,
  changeWithoutCredentials,
  type History,
  type RecordedWrite,
  recordedData,
} from "../history.js";
import { readDataFile } from "./data-file.js";
import {
  contentHash,
  type DataFileVersion,
  externalChangeLine,
  findValidLines,
  newestLines,
  parseLines,
  sealLines,
  toLine,
  type ValidLines,
} from "./history-lines.js";

/** The maximum number of entries, unless the data file sets another. */
const MAX_ENTRIES = 1_000;
/** The maximum size of all entries, in bytes. */
const MAX_BYTES = 10 * 1_048_576;
/** The share of a full history that stays, so that few writes rewrite the file. */
const SHARE_KEPT_ON_TRIM = 0.9;
/** Does not create the file. */
const APPEND = { flag: constants.O_WRONLY | constants.O_APPEND };

export function historyPathOf(path: string): string {
  return `${path}.history.jsonl`;
}

/** A write that replaces `data` with `next`. */
interface FileWrite extends Omit<DataFileVersion, "time"> {
  readonly next: Data;
  readonly nextState: string;
  readonly author: Author;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
}

/**
 * Records a write to a data file whose lock is held. The line is on disk when
 * this resolves, and valid once the data file has been replaced
 * (docs/design/history.md).
 *
 * @returns marks the line, once the new data file is on disk
 * @throws InvalidDataError without a subject: the data file must not be
 *   replaced
 */
export async function recordWrite(path: string, write: FileWrite): Promise<() => Promise<void>> {
  const history = historyPathOf(path);
  const size = await record(history, await stat(path), write).catch((error: unknown) => {
    // A NotDurableError would mean that the data file has changed.
    const reason = error instanceof NotDurableError ? error.cause : error;
    throw new InvalidDataError(
      `can't be changed: ${toInvalidFile(history, reason, "can't be written").message}`,
    );
  });
  return async () => {
    if (size === (await stat(history)).size) await appendFile(history, "\n", APPEND);
  };
}

/** Returns the size of the history, or `undefined` if nothing was recorded. */
async function record(
  path: string,
  dataFile: Stats,
  write: FileWrite,
): Promise<number | undefined> {
  const { data, state, sealing } = write;
  const limit = write.next.history?.entries ?? MAX_ENTRIES;
  if (limit === 0) await unlink(path).catch(ifMissing);
  if (limit === 0 || state === write.nextState) return undefined;
  const old = await readHistoryFile(path, dataFile);
  if (old) refuseReadOnly(path, old.stats);
  const valid = old && findValidLines(old.bytes, state);
  // The writer of the line may have been killed before the folder was synced.
  if (valid?.isMarked === false) await syncFolder(dirname(path));
  // The baseline is about as large as the data.
  const maxBytes = MAX_BYTES + dataFile.size;
  const isFull = valid && (valid.entries >= limit || valid.bytes.length > maxBytes);
  // Otherwise, void lines, changes by other programs or the form of lines
  // require a rewrite.
  if (valid?.isWholeFile && valid.state === state && !isFull && !sealing?.needsWrite) {
    const text = (valid.isMarked ? "" : "\n") + changeLine(write, valid.highestId + 1);
    await appendFile(path, text, { ...APPEND, flush: true });
  } else {
    const present = { data, state, time: dataFile.mtime, sealing };
    const share = isFull ? SHARE_KEPT_ON_TRIM : 1;
    const newest = valid && recentLines(valid, present, limit * share, MAX_BYTES * share);
    // Users who can read the data file don't need its older secrets.
    const { gid, mode } = old?.stats ?? { ...dataFile, mode: 0 };
    await rewrite(path, write, { uid: dataFile.uid, gid, mode }, newest);
  }
  return (await stat(path)).size;
}

async function rewrite(
  path: string,
  write: FileWrite,
  owner: Ownership,
  { id, lines } = { id: 0, lines: Buffer.of() },
): Promise<void> {
  const { data, state, sealing } = write;
  const baseline = toLine({ id, state, data: recordedData(data) }, sealing);
  const added = Buffer.from(baseline + changeLine(write, id + 1));
  await replaceFile(path, [lines, added], (file) => keepOwner(owner, file));
}

function changeLine(write: FileWrite, id: number): string {
  const changes = changesBetween(write.data, write.next).map(changeWithoutCredentials);
  const { nextState: state, author } = write;
  const time = new Date(write.clock()).toISOString();
  const line = changes.length > 0 ? { id, state, time, ...author, changes } : { id: id - 1, state };
  return toLine(line, write.sealing);
}

/** Returns the newest lines, with changes by other programs, and the last id. */
function recentLines(
  valid: ValidLines,
  present: DataFileVersion,
  maxEntries: number,
  maxBytes: number,
) {
  const { sealing } = present;
  const externalLine = externalChangeLine(valid, present);
  const all = [sealing?.needsWrite ? sealLines(valid.bytes, sealing) : valid.bytes];
  if (externalLine) all.push(Buffer.from(toLine(externalLine, sealing)));
  // One entry follows.
  const lines = newestLines(Buffer.concat(all), Math.floor(maxEntries) - 1, maxBytes);
  return { id: externalLine?.id ?? valid.highestId, lines };
}

/**
 * @throws InvalidDataError for a link, or if users who can't change the data
 *   file can change it
 */
async function readHistoryFile(path: string, dataFile: Stats): Promise<FileContent | undefined> {
  const stats = await lstat(path).catch(ifMissing);
  const owner = { user: dataFile.uid, groups: [dataFile.gid] };
  const risk = foreignWriter(dataFile, owner) ? undefined : foreignWriter(stats, owner);
  const problem = stats?.isFile() === false ? "is not a regular file" : risk;
  if (problem) throw new InvalidDataError(`${problem}: move it elsewhere`);
  return stats && readRegularFile(path, MAX_DATA_SIZE);
}

/**
 * Reads a history, with changes by other programs.
 *
 * @throws InvalidDataError without a subject; with a complete message while the
 *   changes are read
 */
export async function readFileHistory(path: string, sealing?: FileSealing): Promise<History> {
  const file = await realpath(path).catch(() => path);
  const history = historyPathOf(file);
  for (;;) {
    const version = fingerprint(file);
    const data = await readDataFile(file, { open: sealing?.open });
    const { bytes, stats } = await readRegularFile(file, MAX_DATA_SIZE);
    const present = { data, state: contentHash(bytes), time: stats.mtime, sealing };
    const reading = readHistoryFile(history, stats);
    await reading.catch(() => {});
    // Otherwise, a writer has changed both files in between.
    if (version === fingerprint(file)) return { data, writes: writesIn(history, reading, present) };
  }
}

async function* writesIn(
  path: string,
  reading: Promise<FileContent | undefined>,
  present: DataFileVersion,
): AsyncGenerator<RecordedWrite> {
  try {
    const { bytes } = (await reading) ?? {};
    if (!bytes) return;
    const valid = findValidLines(bytes, present.state);
    const externalLine = externalChangeLine(valid, present);
    for (const part of [
      externalLine ? [externalLine] : [],
      parseLines(valid.bytes, present.sealing),
    ])
      for (const { state: _, ...line } of part) if (line.changes) yield line as RecordedWrite;
  } catch (error) {
    throw toInvalidFile(path, error, "can't be read");
  }
}

/**
 * Copies a history to a data file that has none.
 *
 * @throws InvalidDataError with a complete message
 */
export async function copyHistory(
  path: string,
  { data, writes }: History,
  sealing?: FileSealing,
): Promise<void> {
  const state = contentHash((await readRegularFile(path, MAX_DATA_SIZE)).bytes);
  const newestFirst: string[] = [];
  let lastId = 0;
  for await (const { id, ...write } of writes) {
    lastId ||= id;
    newestFirst.push(toLine({ id, state, ...write }, sealing));
  }
  if (lastId === 0) return;
  const baseline = toLine({ id: lastId, state, data: recordedData(data) }, sealing);
  const lines = newestFirst.reverse().join("") + baseline;
  const file = historyPathOf(await realpath(path));
  await createFile(file, lines).catch((error: unknown) => {
    if (!hasCode(error, "EEXIST")) throw toInvalidFile(file, error, "can't be written");
  });
}
