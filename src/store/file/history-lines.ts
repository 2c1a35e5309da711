import { createHash } from "node:crypto";
import { InvalidDataError } from "../../kit/text/errors.js";
import { applyRule, COUNT, optional, rule, TEXT } from "../../kit/text/rules.js";
import type { FileSealing } from "../bytes/file-sealing.js";
import type { Data } from "../data.js";
import {
  applyRecordChanges,
  changesBetween,
  EXTERNAL_COMMAND,
  RECORD_CHANGE_RULE,
  RECORD_RULE,
  type RecordChange,
  type RecordedWrite,
  type Records,
  recordedData,
  UNKNOWN_AUTHOR,
} from "../history.js";
import { parseStoredText } from "../schema/parse-data.js";

// docs/design/history.md describes the lines, and which of them are valid.

/**
 * The start of a line, read without parsing values. A torn line may have only
 * its id.
 */
const HEAD = /^\{"id":(\d{1,15}),(?:"state":"([\w-]{22})"(?:,"(data|time)"|\}))?/;
/** The longest head, in bytes. */
const HEAD_BYTES = 64;
const NEWLINE = 0x0a;

export interface HistoryLine extends Partial<RecordedWrite> {
  readonly id: number;
  readonly state: string;
  readonly data?: Records;
}

const records = rule({ items: RECORD_RULE });
const LINE = rule({
  fields: {
    id: COUNT,
    state: TEXT,
    time: optional(TEXT),
    actor: optional(TEXT),
    command: optional(TEXT),
    data: optional(
      rule({ fields: { environments: records, variables: records, values: records } }),
    ),
    changes: optional(rule({ items: RECORD_CHANGE_RULE })),
  },
});

/** Hashes the content of a data file. */
export function contentHash(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 22);
}

export function toLine(line: HistoryLine, sealing?: FileSealing): string {
  const written = sealing?.isSealed
    ? withContent(line, (content, head) => sealing.sealContent(content, head))
    : line;
  return `${JSON.stringify(written)}\n`;
}

/** Replaces the content of a line. @param map also gets the rest of the line */
function withContent(
  { data, changes, ...line }: HistoryLine,
  map: (content: unknown, head: string) => unknown,
) {
  const head = `history ${JSON.stringify(line)}`;
  return {
    ...line,
    ...(data && { data: map(data, head) }),
    ...(changes && { changes: map(changes, head) }),
  };
}

/**
 * Returns `undefined` for anything but a line of a history. A torn one may have
 * no state.
 */
function headOf(bytes: Buffer, start = 0) {
  const [, id, state, next] = HEAD.exec(bytes.toString("latin1", start, start + HEAD_BYTES)) ?? [];
  return id === undefined ? undefined : { id: Number(id), state, isBaseline: next === "data" };
}

/** Finds whole lines, not marks, from the last to the first. */
function* linesFromEnd(bytes: Buffer) {
  for (let end = bytes.lastIndexOf(NEWLINE) + 1; end > 0; ) {
    const start = end > 1 ? bytes.lastIndexOf(NEWLINE, end - 2) + 1 : 0;
    if (end - start > 1) yield { start, end };
    end = start;
  }
}

/** The lines of a history that are valid: all up to the last valid one. */
export interface ValidLines {
  readonly bytes: Buffer;
  /** The state that they lead to. */
  readonly state: string;
  /** The highest id of all lines, void and torn ones included. */
  readonly highestId: number;
  readonly isMarked: boolean;
  /** Whether no void or torn line follows. */
  readonly isWholeFile: boolean;
  /** The maximum number of changes, from the first and the highest id. */
  readonly entries: number;
}

/** @param state the state of the data file @throws as {@link parseLines} */
export function findValidLines(bytes: Buffer, state: string): ValidLines {
  const first = headOf(bytes);
  let highestId = headOf(bytes, bytes.lastIndexOf(NEWLINE) + 1)?.id ?? 0;
  let isWholeFile = bytes.at(-1) === NEWLINE;
  for (const { start, end } of linesFromEnd(bytes)) {
    const head = headOf(bytes, start);
    highestId = Math.max(highestId, head?.id ?? 0);
    const isMarked = end < bytes.length;
    if (head?.state !== undefined && (isMarked || head.isBaseline || head.state === state)) {
      const entries = highestId - (first?.id ?? 0) + (first?.isBaseline ? 0 : 1);
      const valid = bytes.subarray(0, end);
      return { bytes: valid, state: head.state, highestId, isMarked, isWholeFile, entries };
    }
    isWholeFile = false;
  }
  throw damagedError(0);
}

/**
 * Parses lines from the last to the first.
 *
 * @throws InvalidDataError without a subject
 */
export function* parseLines(bytes: Buffer, sealing?: FileSealing): Generator<HistoryLine> {
  for (const { start, end } of linesFromEnd(bytes)) {
    try {
      const line = parseStoredText(bytes.toString("utf8", start, end)) as HistoryLine;
      const opened = sealing
        ? withContent(line, (content, head) => sealing.openContent(content, head))
        : line;
      yield applyRule<HistoryLine>(LINE, opened, () => damagedError(start));
    } catch {
      throw damagedError(start);
    }
  }
}

/**
 * Converts lines to the form that the sealing writes.
 *
 * @throws as {@link parseLines}
 */
export function sealLines(bytes: Buffer, sealing: FileSealing): Buffer {
  const lines = [...parseLines(bytes, sealing)].reverse();
  return Buffer.from(lines.map((line) => toLine(line, sealing)).join(""));
}

function damagedError(start: number): InvalidDataError {
  return new InvalidDataError(`is damaged at byte ${start}: to begin a new history, rename it`);
}

/** The data file beside a history. */
export interface DataFileVersion {
  readonly data: Data;
  readonly state: string;
  /** The time of its last change. */
  readonly time: Date;
  /** Set if the file is sealed or becomes so. */
  readonly sealing: FileSealing | undefined;
}

/**
 * Makes a line for changes by other programs, if there are any.
 *
 * @throws as {@link parseLines}
 */
export function externalChangeLine(
  valid: ValidLines,
  { data, state, time, sealing }: DataFileVersion,
): HistoryLine | undefined {
  if (valid.state === state) return undefined;
  const changes = changesBetween(lastData(valid.bytes, sealing), recordedData(data));
  if (changes.length === 0) return undefined;
  const id = valid.highestId + 1;
  return {
    id,
    state,
    time: time.toISOString(),
    ...UNKNOWN_AUTHOR,
    command: EXTERNAL_COMMAND,
    changes,
  };
}

function lastData(bytes: Buffer, sealing: FileSealing | undefined): Records {
  const newestFirst: (readonly RecordChange[])[] = [];
  for (const { data, changes = [] } of parseLines(bytes, sealing)) {
    newestFirst.push(changes);
    if (data) return applyRecordChanges(data, newestFirst.reverse().flat());
  }
  throw damagedError(0);
}

/** Returns the last lines without baselines. @param maxBytes their total size */
export function newestLines(bytes: Buffer, maxLines: number, maxBytes: number) {
  const newest: Buffer[] = [];
  let size = 0;
  for (const { start, end } of linesFromEnd(bytes)) {
    if (headOf(bytes, start)?.isBaseline) continue;
    size += end - start;
    if (newest.length >= maxLines || size > maxBytes) break;
    newest.push(bytes.subarray(start, end));
  }
  return Buffer.concat(newest.reverse());
}
