import { createHash } from "node:crypto";
import { InvalidDataError } from "../domain/errors.js";
import { LISTS, type List } from "./data.js";
import { type Change, type History, netChanges, recordedData } from "./history.js";
import { changesBetween, type Records } from "./record-changes.js";

// The history of a data file is JSON, one a line. Every line has an id and the state of the data file that it leads to.
// The first line is a baseline with all data, and each other line a write. A line counts once the data file has its state.
// It is on disk before that, so at most the last one does not count.

/** The beginning of a line: with it, no value needs to be parsed. */
const HEAD = /^\{"id":(\d{1,15}),"state":"([\w-]{22})"[,}]/;
/** The longest one. */
export const HEAD_BYTES = 64;
export const NEWLINE = 0x0a;
/** Of no data file. */
const NO_STATE = "-".repeat(22);

/** A line: all data, a change, or neither of them if only the form of the data file is another. */
export interface HistoryLine extends Partial<Change> {
  readonly id: number;
  readonly state: string;
  readonly data?: Records;
}

/** Where a line begins, and where the next one does. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Where a history ends, and the id of its last change. */
export interface End {
  readonly id: number;
  readonly end: number;
}

/** The state of a data file with this content, in pieces. */
export function stateOf(pieces: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("base64url").slice(0, 22);
}

export function toLine(line: HistoryLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** Whole lines, the last one first. */
function* linesFromEnd(bytes: Buffer): Generator<Place> {
  for (let end = bytes.lastIndexOf(NEWLINE) + 1; end > 0; ) {
    const start = end > 1 ? bytes.lastIndexOf(NEWLINE, end - 2) + 1 : 0;
    yield { start, end };
    end = start;
  }
}

/** @returns undefined for what is no line of a history */
export function headOf(bytes: Buffer, start = 0): { id: number; state: string } | undefined {
  const [, id, state = ""] = HEAD.exec(bytes.toString("latin1", start, start + HEAD_BYTES)) ?? [];
  return id === undefined ? undefined : { id: Number(id), state };
}

/**
 * Finds where the history of a state ends: with the last line, or the one before it if the last one does not count. The
 * rest of a line that a crash has left is no line.
 *
 * @param state default that of the last line
 * @returns undefined if it is the history of another state
 */
export function findEnd(bytes: Buffer, state?: string): End | undefined {
  let others = 0;
  for (const { start, end } of linesFromEnd(bytes)) {
    const head = headOf(bytes, start);
    if (!head) continue;
    if (head.state === (state ?? head.state)) return { id: head.id, end };
    if (++others > 1) return undefined;
  }
  return undefined;
}

/** The last one first. @throws InvalidDataError with a predicate about the history */
export function* parseLines(bytes: Buffer): Generator<HistoryLine> {
  let hasData = false;
  for (const { start, end } of linesFromEnd(bytes)) {
    const line = parseLine(bytes.toString("utf8", start, end));
    hasData = line?.data !== undefined;
    if (!line || hasData !== (start === 0)) throw damaged(start);
    yield line;
  }
  if (!hasData) throw damaged(0);
}

function damaged(start: number): InvalidDataError {
  return new InvalidDataError(`is damaged at byte ${start}: to begin a new history, move it away`);
}

/** @returns undefined if it is damaged */
function parseLine(text: string): HistoryLine | undefined {
  try {
    const line = JSON.parse(text);
    const { id, state, time, actor, command, data, changes } = line;
    const isRecord = (record: unknown) => Number.isSafeInteger(Object(record).id);
    const isChange = ({ list, before, after }: Record<string, unknown>) =>
      LISTS.includes(list as List) && [before, after].some(isRecord);
    const isRight = [
      Number.isSafeInteger(id) && typeof state === "string",
      data === undefined || LISTS.every((list) => data[list].every(isRecord)),
      changes === undefined || changes.every(isChange),
      changes === undefined || [time, actor, command].every((each) => typeof each === "string"),
    ];
    return isRight.every(Boolean) ? line : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A line for what other programs have done to a data file: its last data is known from the history.
 *
 * @param bytes whole lines
 * @throws InvalidDataError with a predicate about the history
 */
export function outsideLine(bytes: Buffer, data: Records, state: string, time: Date): HistoryLine {
  const lines = [...parseLines(bytes)];
  const id = lines[0]?.id ?? 0;
  const changes = changesBetween(dataAfter(lines), data, data);
  if (changes.length === 0) return { id, state };
  return { id: id + 1, state, time: time.toISOString(), actor: "unknown", command: "changed outside", changes };
}

/** @param lines the last one first; the first one has all data */
function dataAfter(lines: readonly Pick<HistoryLine, "data" | "changes">[]): Records {
  const after = (list: List) => {
    const records = new Map(lines.at(-1)?.data?.[list].map((record) => [record.id, record]));
    for (const { changes = [] } of lines.toReversed()) {
      for (const change of changes.filter((each) => each.list === list)) {
        if (change.after) records.set(change.after.id, change.after);
        else records.delete(change.before?.id ?? 0);
      }
    }
    return [...records.values()];
  };
  return { environments: after("environments"), variables: after("variables"), values: after("values") };
}

/**
 * A history that begins with a later baseline.
 *
 * @param most changes, and bytes of them
 * @throws InvalidDataError with a predicate about the history
 */
export function shortened(bytes: Buffer, most: number, mostBytes: number): string {
  const last = findEnd(bytes)?.id ?? 0;
  const isKept = ({ start }: Place) =>
    start >= Math.max(1, bytes.length - mostBytes) && last - (headOf(bytes, start)?.id ?? 0) < most;
  const kept = [...linesFromEnd(bytes)].filter(isKept).at(-1)?.start ?? bytes.length;
  const [first = { id: 0, state: NO_STATE }, ...others] = parseLines(bytes.subarray(0, kept));
  const { id, state } = first;
  return toLine({ id, state, data: dataAfter([first, ...others]) }) + bytes.toString("utf8", kept);
}

/** A history for a copy of the data; undefined if there are no changes. */
export async function copiedHistory({ data, changes }: History): Promise<string | undefined> {
  const known: Change[] = [];
  for await (const change of changes) known.push(change);
  const oldest = known.at(-1);
  if (!oldest) return undefined;
  const undone = netChanges(known).map(({ list, before, after }) => ({ list, before: after, after: before }));
  const before = dataAfter([{ changes: undone }, { data: recordedData(data) }]);
  const lines = known.toReversed().map(({ id, ...change }) => toLine({ id, state: NO_STATE, ...change }));
  return [toLine({ id: oldest.id - 1, state: NO_STATE, data: before }), ...lines].join("");
}
