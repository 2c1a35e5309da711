import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath, unlink } from "node:fs/promises";
import { platform } from "node:os";
import { InvalidDataError } from "../domain/errors.js";
import { fingerprint, replaceFile } from "../files/durable-file.js";
import { keepOwner } from "../files/file-lock.js";
import { type FileContent, readRegularFile } from "../files/open-file.js";
import { foreignWriter } from "../files/owners.js";
import { hasCode, ifMissing, NotDurableError, toInvalidData, toInvalidFile } from "../files/system-errors.js";
import type { Data } from "./data.js";
import { MAX_DATA_SIZE } from "./data-file.js";
import { type Author, type Change, type History, recordedData, withoutCredentials } from "./history.js";
import {
  type End,
  findEnd,
  HEAD_BYTES,
  type HistoryLine,
  headOf,
  NEWLINE,
  outsideLine,
  type Place,
  parseLines,
  shortened,
  stateOf,
  toLine,
} from "./history-lines.js";
import { parseData } from "./parse-data.js";
import { changesBetween } from "./record-changes.js";

/** Entries of a history, unless the data file says another number. */
const MAX_ENTRIES = 1_000;
/** Of its entries. */
const MAX_BYTES = 10 * 1_048_576;
/** The part of these that is left when there are more, so that few writes have to rewrite the file. */
const KEPT = 0.9;
/** Read at first: the last line is in them most of the time. */
const TAIL_BYTES = 16_384;

// Windows has only the first three.
const { O_RDONLY, O_RDWR, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

export function historyPathOf(path: string): string {
  return `${path}.history.jsonl`;
}

/** A data file as it was read. */
export interface FoundFile {
  readonly state: string;
  readonly stats: Stats;
}

export function foundFile({ bytes, stats }: FileContent): FoundFile {
  return { state: stateOf([bytes]), stats };
}

/** A write to a data file that is about to be made. */
export interface FileWrite {
  readonly found: FoundFile;
  readonly data: Data;
  /** The data afterwards, and the same after its check. */
  readonly changed: Data;
  readonly next: Data;
  /** The content of the file afterwards. */
  readonly pieces: readonly Uint8Array[];
  readonly author: Author;
  /** Unix time in milliseconds. */
  readonly clock: () => number;
}

/**
 * Records a write in the history of a data file. It is on disk when this resolves.
 *
 * @param path of the data file, under its lock
 * @returns a function to call if the data file can't be replaced
 * @throws InvalidDataError with a predicate about the data file, which must not be replaced then
 */
export async function recordWrite(path: string, write: FileWrite): Promise<() => Promise<void>> {
  const history = historyPathOf(path);
  try {
    const made = await record(history, write);
    return async () => made && cutOff(history, made).catch(() => {});
  } catch (error) {
    // Of the history: the data file itself is as it was.
    const reason = error instanceof NotDurableError ? error.cause : error;
    throw new InvalidDataError(`can't be changed: ${toInvalidFile(history, reason, "can't be written").message}`);
  }
}

async function record(path: string, write: FileWrite): Promise<Place | undefined> {
  const { found, data, changed, next, pieces, author, clock } = write;
  const limit = next.history?.entries ?? MAX_ENTRIES;
  if (limit === 0) await unlink(path).catch(ifMissing(undefined));
  const state = stateOf(pieces);
  if (limit === 0 || state === found.state) return undefined;
  const changes = changesBetween(data, changed, next).map(withoutCredentials);
  const time = new Date(clock()).toISOString();
  const lineAfter = ({ id }: Pick<End, "id">) =>
    toLine(changes.length > 0 ? { id: id + 1, state, time, ...author, changes } : { id, state });
  const file = await openHistory(path, found.stats, O_RDWR | O_APPEND);
  if (!file) {
    const baseline = toLine({ id: 0, state: found.state, data: recordedData(data) });
    return begin(path, baseline, lineAfter({ id: 0 }), found.stats);
  }
  let start: string;
  let line: string;
  try {
    const { size } = await file.stat();
    const end = (await readEnd(file, size, found.state)) ?? (await appendOutside(file, size, write));
    line = lineAfter(end);
    if (!(await isFull(file, end, limit, found.stats.size))) return await append(file, end.end, line);
    start = shortened(await readBytes(file, 0, end.end), Math.floor(limit * KEPT) - 1, MAX_BYTES * KEPT);
  } finally {
    await file.close();
  }
  return begin(path, start, line, found.stats);
}

async function begin(path: string, start: string, line: string, owner: Stats): Promise<Place> {
  const [first, last] = [Buffer.from(start), Buffer.from(line)];
  await replaceFile(path, [first, last], (file) => keepOwner(owner, file));
  return { start: first.length, end: first.length + last.length };
}

/** @param end of what counts: what follows is cut off */
async function append(file: FileHandle, end: number, line: string): Promise<Place> {
  await file.truncate(end);
  try {
    await file.writeFile(line);
    await file.sync();
  } catch (error) {
    await file.truncate(end).catch(() => {});
    throw error;
  }
  return { start: end, end: end + Buffer.byteLength(line) };
}

/** Records that another program has changed the data file. */
async function appendOutside(file: FileHandle, size: number, { found, data }: FileWrite) {
  const bytes = await readBytes(file, 0, size);
  const known = bytes.subarray(0, findEnd(bytes)?.end ?? 0);
  const line = outsideLine(known, recordedData(data), found.state, found.stats.mtime);
  const { end } = await append(file, known.length, toLine(line));
  return { id: line.id, end };
}

/** Removes a line, unless another one follows. */
async function cutOff(path: string, { start, end }: Place): Promise<void> {
  const file = await open(path, O_RDWR | O_NOFOLLOW);
  try {
    if ((await file.stat()).size === end) await file.truncate(start);
  } finally {
    await file.close();
  }
}

/** Opens no link, and no file of other users, unless these can change the data file too. Undefined if there is none. */
async function openHistory(path: string, dataFile: Stats, flags: number): Promise<FileHandle | undefined> {
  const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    // O_NOFOLLOW refuses one link.
    if (hasCode(error, "ELOOP")) throw new InvalidDataError("is a link: move it away");
    return ifMissing(undefined)(error);
  });
  const risk = file && riskOf(await file.stat(), dataFile);
  if (risk === undefined) return file;
  await file?.close();
  throw new InvalidDataError(`${risk}: move it away`);
}

function riskOf(stats: Stats, dataFile: Stats): string | undefined {
  if (!stats.isFile()) return "is not a regular file";
  if (stats.nlink > 1) return "has hard links";
  const owner = { user: platform() === "win32" ? undefined : dataFile.uid, groups: [dataFile.gid] };
  return foreignWriter(dataFile, owner) ? undefined : foreignWriter(stats, owner);
}

async function readEnd(file: FileHandle, size: number, state: string): Promise<End | undefined> {
  for (let length = TAIL_BYTES; ; length *= 16) {
    const from = Math.max(0, size - length);
    const bytes = await readBytes(file, from, size);
    const lines = from === 0 ? bytes : bytes.subarray(bytes.indexOf(NEWLINE) + 1);
    const found = findEnd(lines, state);
    if (found || from === 0) return found && { id: found.id, end: found.end + size - lines.length };
  }
}

async function isFull(file: FileHandle, { id, end }: End, limit: number, dataSize: number): Promise<boolean> {
  const first = headOf(await readBytes(file, 0, HEAD_BYTES));
  // The baseline is about as large as the data.
  return id - (first?.id ?? 0) >= limit || end > MAX_BYTES + dataSize;
}

async function readBytes(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
  return buffer.subarray(0, bytesRead);
}

/**
 * The history of a data file, with the same end that the next write would give it.
 *
 * @throws InvalidDataError with a predicate about the data file; while the changes are read, with the whole message
 */
export async function readFileHistory(path: string): Promise<History> {
  try {
    const file = await realpath(path);
    for (;;) {
      const version = await fingerprint(file);
      const content = await readRegularFile(file, MAX_DATA_SIZE);
      const bytes = await readHistoryFile(historyPathOf(file), content.stats);
      // Otherwise a writer has changed both in between.
      if (version !== (await fingerprint(file))) continue;
      const data = await parseData(content.bytes);
      return { data, changes: changesIn(historyPathOf(file), bytes, data, foundFile(content)) };
    }
  } catch (error) {
    throw toInvalidData(error, "can't be read");
  }
}

async function readHistoryFile(path: string, dataFile: Stats): Promise<Buffer | undefined> {
  try {
    const file = await openHistory(path, dataFile, O_RDONLY);
    return await file?.readFile().finally(() => file.close());
  } catch (error) {
    throw new InvalidDataError(`has no history: ${toInvalidFile(path, error, "can't be read").message}`);
  }
}

async function* changesIn(
  path: string,
  bytes: Buffer | undefined,
  data: Data,
  { state, stats }: FoundFile,
): AsyncGenerator<Change> {
  if (!bytes) return;
  try {
    const found = findEnd(bytes, state);
    const known = bytes.subarray(0, (found ?? findEnd(bytes))?.end ?? 0);
    if (!found) yield* changeIn(outsideLine(known, recordedData(data), state, stats.mtime));
    for (const line of parseLines(known)) yield* changeIn(line);
  } catch (error) {
    throw error instanceof InvalidDataError ? new InvalidDataError(`${path} ${error.message}`) : error;
  }
}

function changeIn({ state: _, ...line }: HistoryLine): Change[] {
  return line.changes ? [line as Change] : [];
}
