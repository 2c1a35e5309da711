import { graphemes, visibleText } from "./graphemes.js";
import { cellText, fitLine, type Line, type Span } from "./line.js";

/**
 * The rank of a string that has the letters of a word in order, with others in
 * between.
 */
export const LETTERS = 4;

/** The rank of a string that does not match. */
export const NO_MATCH = 5;

/**
 * Ranks how well a word matches a string, both in lower case: 0 for the whole
 * text, 1 for its start, 2 for the start of a word in it, 3 for another part,
 * or `NO_MATCH`.
 */
export function partRank(word: string, text: string): number {
  const at = text.indexOf(word);
  if (at <= 0) return at < 0 ? NO_MATCH : word.length === text.length ? 0 : 1;
  return wordStart(word, text, at) < 0 ? 3 : 2;
}

/**
 * Splits a filter into words, all of which must match. Drops incomplete ones
 * such as `type:`.
 */
export function filterWords(filter: string): readonly string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !/^!?(type:|name:)?['~]?$/.test(word));
}

/**
 * Ranks a name for a word of a filter. A plain word matches a part of the name,
 * `'word` the whole name, and `~word` its letters in order; `!` negates the
 * rest.
 */
export function nameRank(word: string, name: string): number {
  const rest = word.slice(1);
  switch (word.charAt(0)) {
    case "!":
      return nameRank(rest, name) === NO_MATCH ? 0 : NO_MATCH;
    case "'":
      return rest === name ? 0 : NO_MATCH;
    case "~":
      return Math.min(partRank(rest, name), letterPositions(rest, name) ? LETTERS : NO_MATCH);
    default:
      return partRank(word, name);
  }
}

/** Returns `undefined` if a letter is missing. */
function letterPositions(word: string, text: string): number[] | undefined {
  const positions: number[] = [];
  for (let index = 0, from = 0; index < word.length; index++) {
    const at = text.indexOf(word.charAt(index), from);
    if (at < 0) return undefined;
    positions.push(at);
    from = at + 1;
  }
  return positions;
}

/**
 * The distance from the first matching letter to the last. Shorter is better.
 */
export function letterSpan(word: string, text: string): number {
  const [first = 0, ...others] = letterPositions(word, text) ?? [];
  return (others.at(-1) ?? first) - first;
}

const SEPARATOR = /[^\p{L}\p{N}]/u;

/** The index of `word` at the start of a word, from `first` on, or -1. */
function wordStart(word: string, text: string, first: number): number {
  for (let at = first; at > 0; at = text.indexOf(word, at + 1))
    if (SEPARATOR.test(text.charAt(at - 1))) return at;
  return -1;
}

/** Indexes of the characters of `text` that the words of a filter match. */
export function matchPositions(words: readonly string[], text: string): ReadonlySet<number> {
  return new Set(words.flatMap((word) => wordPositions(word, text.toLowerCase())));
}

function wordPositions(word: string, text: string): number[] {
  if (word.startsWith("!")) return [];
  const part = word.replace(/^['~]/, "");
  const first = text.indexOf(part);
  if (first < 0) return (word.startsWith("~") && letterPositions(part, text)) || [];
  const start = Math.max(first, wordStart(part, text, first));
  return Array.from({ length: part.length }, (_, index) => start + index);
}

/** The code units searched for a highlight, more than any column is wide. */
const MAX_UNITS = 1_000;

/** Fits a string into a column, with matches in the role `match`. */
export function highlight(
  words: readonly string[],
  text: string,
  width: number,
  plain: Omit<Span, "text">,
): Line {
  const head = text.slice(0, MAX_UNITS);
  const positions = matchPositions(words, head);
  if (positions.size === 0) return [{ ...plain, text: cellText(head, width) }];
  const spans: Span[] = [];
  for (const { text: grapheme, index } of graphemes(head)) {
    const role = positions.has(index) ? "match" : plain.role;
    const last = spans.at(-1);
    const isAlike = last && last.role === role;
    const visible = (isAlike ? last.text : "") + visibleText(grapheme);
    spans.splice(isAlike ? -1 : spans.length, 1, {
      ...plain,
      text: visible,
      ...(role && { role }),
    });
  }
  return fitLine(spans, width);
}
