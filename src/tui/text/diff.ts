import { diffArrays } from "diff";
import { graphemes, isNarrow } from "./graphemes.js";

/** A run of items that are equal, or different, in two sequences. Indexes count from 0; `end` is after the last one. */
export interface Part {
  readonly isEqual: boolean;
  readonly before: Range;
  readonly after: Range;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

interface SequenceDiff {
  readonly parts: readonly Part[];
  /** Whether the equal items are as many as possible. Otherwise they are only those at both ends. */
  readonly isExact: boolean;
}

/** The time of a comparison grows with the square of this number: 500 edits take some 20 ms. */
const MAX_EDITS = 500;

type Pairs = readonly (readonly [before: number, after: number])[];

/** Compares two sequences, such as lines, by a longest common subsequence. */
export function diffSequences(before: readonly string[], after: readonly string[]): SequenceDiff {
  const head = commonLength(before.length, after.length, (at) => before[at] === after[at]);
  const [length, nextLength] = [before.length - head, after.length - head];
  const tail = commonLength(length, nextLength, (at) => before.at(-1 - at) === after.at(-1 - at));
  const middle = { start: head, end: before.length - tail };
  const nextMiddle = { start: head, end: after.length - tail };
  const pairs = equalPairs(before, after, middle, nextMiddle);
  const parts: Part[] = [];
  addPart(parts, true, { start: 0, end: head }, { start: 0, end: head });
  addPairs(parts, pairs ?? [], middle, nextMiddle);
  addPart(parts, true, { start: middle.end, end: before.length }, { start: nextMiddle.end, end: after.length });
  return { parts, isExact: pairs !== undefined };
}

/** How many items at the start are equal. */
export function commonLength(a: number, b: number, isEqualAt: (index: number) => boolean): number {
  let length = 0;
  while (length < a && length < b && isEqualAt(length)) length++;
  return length;
}

/** Indexes of equal items, ascending on both sides; undefined if there are too many edits to find them. */
function equalPairs(before: readonly string[], after: readonly string[], old: Range, next: Range): Pairs | undefined {
  const ids = new Map<string, number>();
  for (let at = old.start; at < old.end; at++) {
    const item = before[at] as string;
    if (!ids.has(item)) ids.set(item, ids.size);
  }
  // Items of one side only are in no common subsequence: without them, most comparisons are trivial.
  const isShared = new Uint8Array(ids.size);
  const nextKept = { indexes: [] as number[], ids: [] as number[] };
  for (let at = next.start; at < next.end; at++) {
    const id = ids.get(after[at] as string);
    if (id === undefined) continue;
    isShared[id] = 1;
    nextKept.indexes.push(at);
    nextKept.ids.push(id);
  }
  const kept = { indexes: [] as number[], ids: [] as number[] };
  for (let at = old.start; at < old.end; at++) {
    const id = ids.get(before[at] as string) as number;
    if (isShared[id] === 0) continue;
    kept.indexes.push(at);
    kept.ids.push(id);
  }
  const changes = diffArrays(kept.ids, nextKept.ids, { maxEditLength: MAX_EDITS });
  if (!changes) return undefined;
  const pairs: [number, number][] = [];
  let [at, nextAt] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      for (let item = 0; item < count; item++)
        pairs.push([kept.indexes[at + item] as number, nextKept.indexes[nextAt + item] as number]);
    }
    if (!added) at += count;
    if (!removed) nextAt += count;
  }
  return pairs;
}

/** The parts between the start and the end of two ranges. */
function addPairs(parts: Part[], pairs: Pairs, old: Range, next: Range): void {
  let [at, nextAt] = [old.start, next.start];
  for (const [index, nextIndex] of pairs) {
    addPart(parts, false, { start: at, end: index }, { start: nextAt, end: nextIndex });
    addPart(parts, true, { start: index, end: index + 1 }, { start: nextIndex, end: nextIndex + 1 });
    [at, nextAt] = [index + 1, nextIndex + 1];
  }
  addPart(parts, false, { start: at, end: old.end }, { start: nextAt, end: next.end });
}

/** Joined with the last part if both are equal, or both are not. */
function addPart(parts: Part[], isEqual: boolean, before: Range, after: Range): void {
  if (before.start === before.end && after.start === after.end) return;
  const last = parts.at(-1);
  if (last?.isEqual !== isEqual) {
    parts.push({ isEqual, before, after });
    return;
  }
  parts[parts.length - 1] = {
    isEqual,
    before: { start: last.before.start, end: before.end },
    after: { start: last.after.start, end: after.end },
  };
}

/** The changed words of a line that was changed to another, as indexes of code units. */
interface ChangedWords {
  readonly before: readonly Range[];
  readonly after: readonly Range[];
}

/** With less in common, nothing is marked: all of it has changed. */
const MIN_EQUAL = 0.3;

/** Longer lines are not compared by words. */
const MAX_LENGTH = 5_000;

const NONE: ChangedWords = { before: [], after: [] };

export function isComparable(line: string): boolean {
  return line.length <= MAX_LENGTH;
}

export function changedWords(before: string, after: string): ChangedWords {
  if (!isComparable(before) || !isComparable(after)) return NONE;
  const [words, nextWords] = [wordsOf(before), wordsOf(after)];
  const { parts } = diffSequences(words, nextWords);
  const [starts, nextStarts] = [startsOf(words), startsOf(nextWords)];
  const changed: { before: Range[]; after: Range[] } = { before: [], after: [] };
  let equal = 0;
  for (const part of parts) {
    const old = toUnits(part.before, starts);
    if (part.isEqual) {
      equal += old.end - old.start;
      continue;
    }
    const next = toUnits(part.after, nextStarts);
    if (old.end > old.start) changed.before.push(old);
    if (next.end > next.start) changed.after.push(next);
  }
  return equal < MIN_EQUAL * Math.max(before.length, after.length) ? NONE : changed;
}

const NARROW_WORDS = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
const IN_WORD = /^[\p{L}\p{N}_]/u;

/** Words, spaces and single other characters. No grapheme is broken. */
function wordsOf(text: string): readonly string[] {
  if (isNarrow(text)) return text.match(NARROW_WORDS) ?? [];
  const words: string[] = [];
  let isInWord = false;
  for (const { text: grapheme } of graphemes(text)) {
    const isWord = IN_WORD.test(grapheme);
    if (isWord && isInWord) words[words.length - 1] += grapheme;
    else words.push(grapheme);
    isInWord = isWord;
  }
  return words;
}

/** Where each word starts, and where the last one ends. */
function startsOf(words: readonly string[]): readonly number[] {
  const starts = [0];
  for (const word of words) starts.push((starts.at(-1) ?? 0) + word.length);
  return starts;
}

function toUnits({ start, end }: Range, starts: readonly number[]): Range {
  return { start: starts[start] as number, end: starts[end] as number };
}
