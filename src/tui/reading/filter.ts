import { createMatcher, isGlob } from "../../model/name-matcher.js";
import type { VariableEntry } from "../../model/source.js";
import { isEncrypted, isPublic, VARIABLE_TYPES, type VariableType } from "../../model/variable.js";
import { type Reading, readingOf } from "../state/reading.js";
import { remembered, type Sort, type State, type View } from "../state/state.js";
import { filterWords, LETTERS, NO_MATCH, nameRank, partRank } from "../text/fuzzy.js";
import { shownValue } from "./reveal.js";
import { anyEntry, hasKind, isUnequal, type Table } from "./table.js";

const listedRows = remembered<Table, readonly number[]>();

/** The rows of a table that a view lists, in its order: with a filter the best come first. */
export function rowsOf(
  state: State,
  table: Table,
  { filter, only, sort, isReversed }: View,
): readonly number[] {
  const { revealed } = state;
  const { lastChanges } = readingOf(state);
  const changes = table.columns.map(({ place }) => readingOf(state, place).changes);
  const on = [
    filter,
    only,
    sort,
    isReversed,
    lastChanges,
    ...(filter === "" ? [] : [revealed, ...changes]),
  ];
  return listedRows(table, on, () => {
    const order = orders(table, [sort, lastChanges], () => sortedRows(table, sort, lastChanges));
    const all = isReversed ? order.toReversed() : order;
    const listed = only ? all.filter((row) => passesOnly(table, row, only)) : all;
    return rankedRows(state, table, listed, parseFilter(filter));
  });
}

function passesOnly(table: Table, row: number, only: NonNullable<View["only"]>): boolean {
  if (only === "unequal") return isUnequal(table, row);
  if (only === "missing" || only === "differing")
    return hasKind(table, row, [only === "missing" ? only : "differs"]);
  return anyEntry(table, row)?.variable.type === only;
}

/** Those that match a filter, the best first. Stable: rows of one rank keep their order. */
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
 * After the parts of names. A description has the letters of almost any word, so that these don't
 * count there.
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
  // A filter must not tell a masked value from any other.
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
  return hasValue(table, row, ({ value }) => isEncrypted(value?.content.value));
}

function hasValue(
  { columns }: Table,
  row: number,
  isWanted: (entry: VariableEntry) => boolean,
): boolean {
  return columns.some(({ cells }) => cells[row] !== undefined && isWanted(cells[row]));
}

/** Which values a filter did not search; undefined if none. */
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

/** In lower case. */
type SearchTexts = Readonly<Record<"names" | "descriptions", readonly string[]>>;

const searched = remembered<Table, SearchTexts>();
/** With 100,000 variables, a sort is noticeably slow. */
const orders = remembered<Table, readonly number[]>();

function searchTexts(table: Table): SearchTexts {
  return searched(table, [], () => ({
    names: table.names.map((name) => name.toLowerCase()),
    descriptions: table.names.map(
      (_, row) => anyEntry(table, row)?.variable.description.toLowerCase() ?? "",
    ),
  }));
}

/** By last change the newest come first, and those of which nothing is known last. */
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
  /**
   * Where it must be found; a text can be in the name, in the description, or in a value that is
   * shown.
   */
  readonly kind: "text" | "name" | "type" | "flag";
  /** In lower case, except a type; for a name as `nameRank` takes it. */
  readonly text: string;
  readonly isNot: boolean;
  /** Of a glob for names, such as `db_*`. */
  readonly glob?: ((name: string) => boolean) | undefined;
}

/** The conditions of a filter. A variable must match each term, and one of the types. */
export interface Query {
  readonly terms: readonly Term[];
  /** All if there is none. */
  readonly types: ReadonlySet<VariableType | undefined>;
  /** Words matched in names; `words` are matched elsewhere too. */
  readonly nameWords: readonly string[];
  readonly words: readonly string[];
  readonly problem: string | undefined;
}

/**
 * The terms of a filter: `missing`, `encrypted` and `changed`, `type:json` (its start is enough),
 * `name:port`, `'port` for the whole name, `p*` for a glob and `~prt` for its letters; all others
 * are searched everywhere. `!` before a term is its opposite.
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
