import { graphemes, isNarrow } from "./graphemes.js";
import { diffSequences, type Range } from "./sequence-diff.js";

/** The changed words of a line that was changed to another, as indexes of code units. */
export interface ChangedWords {
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
