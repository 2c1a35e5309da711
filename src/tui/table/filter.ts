import { createMatcher, isGlob } from "../../model/name-matcher.js";
import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { isPublic, isUnreadable, VARIABLE_TYPES, type VariableType } from "../../model/variable.js";
import { memoized } from "../state/memoized.js";
import { type Reading, readingOf } from "../state/readings.js";
import type { Sort, State, View } from "../state/state.js";
import { filterWords, LETTERS, NO_MATCH, nameRank, partRank } from "../text/fuzzy.js";
import { shownValue } from "./reveal.js";
import { anyEntry, hasKind, isUnequal, type Table } from "./table.js";

const listedRows = memoized<Table, readonly number[]>();

/**
 * The rows that a view lists, in its order. With a filter, the best matches
 * come first.
 */
export function rowsOf(
  state: State,
  table: Table,
  { filter, rowFilter, sort, isReversed }: View,
): readonly number[] {
  const { revealed } = state;
  const { lastChanges } = readingOf(state);
  const changes = table.columns.map(({ place }) => readingOf(state, place).changes);
  const on = [
    filter,
    rowFilter,
    sort,
    isReversed,
    lastChanges,
    ...(filter === "" ? [] : [revealed, ...changes]),
  ];
  return listedRows(table, on, () => {
    const order = orders(table, [sort, lastChanges], () => sortedRows(table, sort, lastChanges));
    const all = isReversed ? order.toReversed() : order;
    const listed = rowFilter ? all.filter((row) => passesRowFilter(table, row, rowFilter)) : all;
    return rankedRows(state, table, listed, parseFilter(filter));
  });
}

function passesRowFilter(
  table: Table,
  row: number,
  rowFilter: NonNullable<View["rowFilter"]>,
): boolean {
  if (rowFilter === "unequal") return isUnequal(table, row);
  if (rowFilter === "missing" || rowFilter === "differing")
    return hasKind(table, row, [rowFilter === "missing" ? rowFilter : "differs"]);
  return anyEntry(table, row)?.variable.type === rowFilter;
}

/**
 * The matching rows, best matches first. Rows of equal rank keep their order.
 */
function rankedRows(
  state: State,
  table: Table,
  rows: readonly number[],
  query: Query,
): readonly number[] {
  const { terms, types, problem } = query;
  if (problem !== undefined) return [];
  if (terms.length + types.size === 0) return rows;
  const texts = searchTexts(table);
  const ranked: number[][] = Array.from({ length: NO_MATCH }, () => []);
  for (const row of rows) {
    if (types.size > 0 && !types.has(anyEntry(table, row)?.variable.type)) continue;
    let worst = 0;
    for (const term of terms) {
      const rank = rankOf(state, table, texts, row, term);
      worst = Math.max(worst, term.isNot ? (rank === NO_MATCH ? 0 : NO_MATCH) : rank);
    }
    ranked[worst]?.push(row);
  }
  return ranked.flat();
}

/**
 * The rank of a match in a description or a value, after those in names.
 * Scattered letters don't match there, since most descriptions contain the
 * letters of almost any word.
 */
const IN_TEXT = LETTERS;

function rankOf(
  state: State,
  table: Table,
  texts: SearchTexts,
  row: number,
  { kind, text, glob }: Term,
): number {
  const name = texts.names[row] ?? "";
  if (glob) return glob(name) ? 0 : NO_MATCH;
  if (kind === "name") return nameRank(text, name);
  if (kind === "type") return anyEntry(table, row)?.variable.type === text ? 0 : NO_MATCH;
  if (kind === "flag") return hasFlag(state, table, row, text) ? 0 : NO_MATCH;
  const rank = partRank(text, name);
  if (rank !== NO_MATCH || texts.descriptions[row]?.includes(text)) return Math.min(rank, IN_TEXT);
  // Matches in masked values would reveal them.
  const isFound = (entry: VariableEntry) => {
    const shown = state.revealed || isPublic(entry.rules) ? shownValue(entry, state) : undefined;
    return shown?.kind === "shown" && shown.text.toLowerCase().includes(text);
  };
  return hasValue(table, row, isFound) ? IN_TEXT : NO_MATCH;
}

function hasFlag(state: State, table: Table, row: number, flag: string): boolean {
  const name = table.names[row] ?? "";
  if (flag === "changed")
    return table.columns.some(({ place }) => readingOf(state, place).changes?.kinds.has(name));
  if (flag === "missing")
    return table.columns.some(({ cells, isRead }) => isRead && !cells[row]?.value);
  return hasValue(table, row, ({ value }) => isUnreadable(value?.content.value));
}

function hasValue(
  { columns }: Table,
  row: number,
  isWanted: (entry: VariableEntry) => boolean,
): boolean {
  return columns.some(({ cells }) => cells[row] !== undefined && isWanted(cells[row]));
}

/** The kind of values that the filter did not search. */
export function notSearched(
  state: State,
  table: Table,
  filter: string,
): "masked" | "encrypted" | "sealed" | undefined {
  if (parseFilter(filter).words.length === 0) return undefined;
  return (["masked", "encrypted", "sealed"] as const).find((kind) =>
    table.names.some((_, row) =>
      hasValue(table, row, (entry) => shownValue(entry, state).kind === kind),
    ),
  );
}

/** Strings in lower case, by row. */
type SearchTexts = Readonly<Record<"names" | "descriptions", readonly string[]>>;

const searched = memoized<Table, SearchTexts>();
/** Cached, since sorting 100,000 variables is noticeably slow. */
const orders = memoized<Table, readonly number[]>();

function searchTexts(table: Table): SearchTexts {
  return searched(table, [], () => ({
    names: table.names.map((name) => name.toLowerCase()),
    descriptions: table.names.map(
      (_, row) => anyEntry(table, row)?.variable.description.toLowerCase() ?? "",
    ),
  }));
}

/**
 * Sorts the rows. The newest changes come first, and variables without a
 * recorded one last.
 */
function sortedRows(table: Table, sort: Sort, changes: Reading["lastChanges"]): readonly number[] {
  const rows = [...table.names.keys()];
  if (sort === "id") return rows;
  if (sort === "type") {
    return VARIABLE_TYPES.flatMap((type) =>
      rows.filter((row) => anyEntry(table, row)?.variable.type === type),
    );
  }
  if (sort === "changed") {
    const numbers = table.names.map((name) => changes?.get(name) ?? 0);
    return rows.sort((a, b) => (numbers[b] ?? 0) - (numbers[a] ?? 0));
  }
  const { names } = searchTexts(table);
  return rows.sort((a, b) => ((names[a] ?? "") < (names[b] ?? "") ? -1 : 1));
}

const FLAGS: readonly string[] = ["missing", "encrypted", "changed"];

interface Term {
  /** `text` matches the name, the description, or a value that is shown. */
  readonly kind: "text" | "name" | "type" | "flag";
  /** Lower case, except for a type. A name has the syntax of `nameRank`. */
  readonly text: string;
  readonly isNot: boolean;
  /** Matches names if the term is a glob. */
  readonly glob?: ((name: string) => boolean) | undefined;
}

/** A variable must match every term, and one of the types. */
export interface Query {
  readonly terms: readonly Term[];
  /** The wanted types, or none for all. */
  readonly types: ReadonlySet<VariableType | undefined>;
  /** Words to match in names, of which `words` are also matched elsewhere. */
  readonly nameWords: readonly string[];
  readonly words: readonly string[];
  readonly problem: string | undefined;
}

/**
 * Parses a filter. `missing`, `encrypted` and `changed` select states,
 * `type:json` (or its first letters) a type, and `name:port` searches only
 * names. `'port` matches the whole name, `p*` is a glob, and `~prt` matches
 * letters of a name. Any other term is searched everywhere. `!` negates a term.
 */
export function parseFilter(filter: string): Query {
  const terms: Term[] = [];
  const types = new Set<VariableType>();
  let problem: string | undefined;
  for (const word of filterWords(filter)) {
    const [, not, kind, text = ""] = /^(!?)(type:|name:|)(.*)$/.exec(word) ?? [];
    const isNot = not === "!";
    const type = VARIABLE_TYPES.find((each) => each.toLowerCase().startsWith(text));
    if (kind !== "type:")
      terms.push({
        kind: kind === "name:" ? "name" : termKind(text),
        text,
        isNot,
        glob: globOf(text),
      });
    else if (!type)
      problem ??= `there is no type ${text}; use ${VARIABLE_TYPES.join(", ").toLowerCase()}`;
    else if (isNot) terms.push({ kind: "type", text: type, isNot });
    else types.add(type);
  }
  const wordsOf = (...kinds: Term["kind"][]) =>
    terms.flatMap(({ kind, text, isNot }) => (!isNot && kinds.includes(kind) ? [text] : []));
  return { terms, types, nameWords: wordsOf("text", "name"), words: wordsOf("text"), problem };
}

function globOf(text: string): Term["glob"] {
  return text.includes("*") && isGlob(text) ? createMatcher([text]).matches : undefined;
}

function termKind(text: string): Term["kind"] {
  if (FLAGS.includes(text)) return "flag";
  return /^['~]/.test(text) ? "name" : "text";
}
