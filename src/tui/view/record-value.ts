import type { VariableEntry } from "../../domain/source.js";
import { selectedEntry } from "../browse/list.js";
import { shownValue } from "../browse/reveal.js";
import { layoutOf, textColumns } from "../state/layout.js";
import type { Revealed, State } from "../state/state.js";
import { type Line, type Span, wrapLine } from "../text/line.js";
import { PLACEHOLDERS, valueLines } from "./value-lines.js";

interface Wrapped {
  readonly entry: VariableEntry;
  readonly value: string;
  readonly width: number;
  readonly level: number | undefined;
  readonly lines: readonly Line[];
  /** Where each line begins in the text of all. */
  readonly starts: readonly number[];
  /** The text of all lines, and the matches of the last search in it. */
  text?: string;
  found?: { readonly query: string; readonly at: readonly number[] };
}

/** The last wrapped value: a long one takes time. Kept only while values are revealed, as nothing else holds the key. */
const lastWrapped = new WeakMap<Revealed, Wrapped>();

/** The value of a record, or its placeholder, in lines of at most `width` columns. */
export function recordValue(entry: VariableEntry, state: State, width: number): readonly Line[] {
  const shown = shownValue(entry, state);
  return shown.kind === "shown"
    ? wrapped(entry, shown.text, state, width).lines
    : wrapLine([PLACEHOLDERS[shown.kind]], width);
}

function wrapped(entry: VariableEntry, value: string, { revealed, folds }: State, width: number): Wrapped {
  const level = folds.get(entry.variable.name);
  const last = revealed && lastWrapped.get(revealed);
  if (last && last.entry === entry && last.value === value && last.width === width && last.level === level) return last;
  const lines: Line[] = [];
  const starts: number[] = [];
  let at = 0;
  for (const each of valueLines(value, entry.variable.type, level)) {
    for (const part of wrapLine(each, width)) {
      lines.push(part);
      starts.push(at);
      at += lengthOf(part);
    }
    // The line feed.
    at++;
  }
  const next = { entry, value, width, level, lines, starts };
  if (revealed) lastWrapped.set(revealed, next);
  return next;
}

function lengthOf(parts: Line): number {
  return parts.reduce((sum, { text }) => sum + text.length, 0);
}

/** A search in the shown value, with its matches. */
export interface RecordMatches {
  readonly wrapped: Wrapped;
  readonly query: string;
  readonly count: number;
  /** Of the current match, from 0. */
  readonly index: number;
}

/** The matches in the value under the cursor; undefined if nothing is searched, or the value isn't shown. */
export function foundInRecord(state: State, width = recordColumns(state)): RecordMatches | undefined {
  const entry = selectedEntry(state);
  const { search } = state;
  if (!entry || search?.name !== entry.variable.name || search.text === "") return undefined;
  const shown = shownValue(entry, state);
  if (shown.kind !== "shown") return undefined;
  const value = wrapped(entry, shown.text, state, width);
  const query = search.text.toLowerCase();
  const count = matches(value, query).length;
  return { wrapped: value, query, count, index: Math.max(0, Math.min(search.index, count - 1)) };
}

function recordColumns(state: State): number {
  const { record } = layoutOf(state);
  return record ? textColumns(record) : 1;
}

function matches(value: Wrapped, query: string): readonly number[] {
  if (value.found?.query === query) return value.found.at;
  value.text ??= textOf(value);
  const at: number[] = [];
  for (let from = value.text.indexOf(query); from >= 0; from = value.text.indexOf(query, from + query.length)) {
    at.push(from);
  }
  value.found = { query, at };
  return at;
}

/** In lower case, where that keeps the length. */
function textOf({ lines, starts }: Wrapped): string {
  const text = lines
    .map((parts, index) => {
      const own = parts.map((span) => span.text).join("");
      const next = starts[index + 1];
      return next !== undefined && next > (starts[index] ?? 0) + own.length ? `${own}\n` : own;
    })
    .join("");
  const lowered = text.toLowerCase();
  return lowered.length === text.length ? lowered : text;
}

/** The line of the value that a match begins in. */
export function lineOfMatch({ wrapped: value, query }: RecordMatches, index: number): number {
  return Math.max(0, firstAfter(value.starts, matches(value, query)[index] ?? 0) - 1);
}

/** The first match that begins in this line of the value or below, or else the first one. */
export function matchFrom({ wrapped: value, query, count }: RecordMatches, line: number): number {
  const index = firstAfter(matches(value, query), (value.starts[Math.max(0, line)] ?? Number.POSITIVE_INFINITY) - 1);
  return index < count ? index : 0;
}

/** The index of the first of ascending numbers that is greater. */
function firstAfter(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((numbers[middle] as number) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where the value begins in the lines of its record. */
export function valueStart({ wrapped: value }: RecordMatches, lines: readonly Line[]): number {
  const [first] = value.lines;
  return first ? lines.indexOf(first) : -1;
}

/** The lines of a record, with the matches in those that are visible. */
export function withMatches(found: RecordMatches, lines: readonly Line[], top: number, page: number): readonly Line[] {
  const start = valueStart(found, lines);
  if (start < 0 || found.count === 0) return lines;
  const marked = [...lines];
  for (let index = Math.max(top, start); index < top + page; index++) {
    const own = found.wrapped.lines[index - start];
    if (own) marked[index] = withMatch(found, own, index - start);
  }
  return marked;
}

function withMatch({ wrapped: value, query, index }: RecordMatches, parts: Line, line: number): Line {
  const start = value.starts[line] ?? 0;
  const end = start + lengthOf(parts);
  const all = matches(value, query);
  const marked: Span[] = [];
  let at = start;
  for (const span of parts) {
    const from = at;
    at += span.text.length;
    const cut = (to: number) => {
      const text = span.text.slice(cursor - from, to - from);
      cursor = to;
      return text;
    };
    let cursor = from;
    for (let next = firstAfter(all, from - query.length); next < all.length; next++) {
      const match = all[next] as number;
      if (match >= Math.min(at, end)) break;
      const before = cut(Math.max(match, from));
      if (before !== "") marked.push({ ...span, text: before });
      const text = cut(Math.min(match + query.length, at));
      marked.push({ ...span, text, role: "match", ...(next === index && { isInverse: true }) });
    }
    const rest = cut(at);
    if (rest !== "") marked.push({ ...span, text: rest });
  }
  return marked;
}
