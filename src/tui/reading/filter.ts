import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";
import type { List, Sort } from "../state/state.js";
import { filterWords, LETTERS, NO_MATCH, nameRank, partRank } from "../text/fuzzy.js";

/** What is known of variables besides their entries. */
interface Known {
  /** Whether a variable was changed recently. */
  readonly isChanged: (name: string) => boolean;
  /** The text of a value; undefined while it is masked, which a filter must not tell from any other. */
  readonly textOf: (entry: VariableEntry) => string | undefined;
}

/**
 * The indexes of the entries that match filter and type, in the order of the list: with a filter the best come first.
 */
export function listRows(
  entries: readonly VariableEntry[],
  { filter, type, sort, isReversed }: List,
  known: Known,
): readonly number[] {
  const query = parseFilter(filter);
  if (query.problem !== undefined) return [];
  const order = sortedRows(entries, sort);
  const rows = isReversed ? order.toReversed() : order;
  const typed = type ? rows.filter((row) => entries[row]?.variable.type === type) : rows;
  return query.terms.length + query.types.size === 0 ? typed : rankedRows(typed, entries, query, known);
}

/** The best come first. Stable: rows of one rank keep their order. */
function rankedRows(
  rows: readonly number[],
  entries: readonly VariableEntry[],
  { terms, types }: Query,
  known: Known,
): readonly number[] {
  const texts = searchTexts(entries);
  const ranked: number[][] = Array.from({ length: NO_MATCH }, () => []);
  for (const row of rows) {
    const entry = entries[row];
    if (!entry || (types.size > 0 && !types.has(entry.variable.type))) continue;
    let worst = 0;
    for (const term of terms) {
      const rank = rankOf(term, entry, texts.names[row] ?? "", texts.descriptions[row] ?? "", known);
      worst = Math.max(worst, term.isNot ? (rank === NO_MATCH ? 0 : NO_MATCH) : rank);
    }
    ranked[worst]?.push(row);
  }
  return ranked.flat();
}

/** After the parts of names. A description has the letters of almost any word, so that these don't count there. */
const IN_TEXT = LETTERS;

function rankOf({ kind, text }: Term, entry: VariableEntry, name: string, description: string, known: Known): number {
  if (kind === "name") return nameRank(text, name);
  if (kind !== "text") return hasProperty(kind, text, entry, known) ? 0 : NO_MATCH;
  const rank = partRank(text, name);
  if (rank !== NO_MATCH || description.includes(text)) return Math.min(rank, IN_TEXT);
  return known.textOf(entry)?.toLowerCase().includes(text) ? IN_TEXT : NO_MATCH;
}

function hasProperty(kind: "type" | "flag", text: string, { variable, value }: VariableEntry, known: Known): boolean {
  if (kind === "type") return variable.type === text;
  if (text === "missing") return value === undefined;
  return text === "changed" ? known.isChanged(variable.name) : isEncrypted(value?.content.value);
}

/** In lower case. */
interface SearchTexts {
  readonly names: readonly string[];
  readonly descriptions: readonly string[];
}

// Computed once for each array of entries, at the first search or sort.
const knownTexts = new WeakMap<readonly VariableEntry[], SearchTexts>();
const knownOrders = new WeakMap<readonly VariableEntry[], Map<Sort, readonly number[]>>();

function searchTexts(entries: readonly VariableEntry[]): SearchTexts {
  const texts = knownTexts.get(entries) ?? {
    names: entries.map(({ variable }) => variable.name.toLowerCase()),
    descriptions: entries.map(({ variable }) => variable.description.toLowerCase()),
  };
  knownTexts.set(entries, texts);
  return texts;
}

function sortedRows(entries: readonly VariableEntry[], sort: Sort): readonly number[] {
  const orders = knownOrders.get(entries) ?? new Map<Sort, readonly number[]>();
  knownOrders.set(entries, orders);
  const order = orders.get(sort) ?? sortRows(entries, sort);
  orders.set(sort, order);
  return order;
}

function sortRows(entries: readonly VariableEntry[], sort: Sort): readonly number[] {
  const rows = entries.map((_, row) => row);
  if (sort === "id") return rows;
  if (sort === "type") {
    return VARIABLE_TYPES.flatMap((type) => rows.filter((row) => entries[row]?.variable.type === type));
  }
  const { names } = searchTexts(entries);
  return rows.sort((a, b) => ((names[a] ?? "") < (names[b] ?? "") ? -1 : 1));
}

const FLAGS: readonly string[] = ["missing", "encrypted", "changed"];

interface Term {
  /** Where it must be found; a text can be in the name, in the description, or in a value that is shown. */
  readonly kind: "text" | "name" | "type" | "flag";
  /** In lower case, except a type; for a name as `nameRank` takes it. */
  readonly text: string;
  readonly isNot: boolean;
}

/** The conditions of a filter. A variable must match each term, and one of the types. */
export interface Query {
  readonly terms: readonly Term[];
  /** All if there is none. */
  readonly types: ReadonlySet<VariableType>;
  /** The words that are found in names, and of these the ones that are found elsewhere too. */
  readonly nameWords: readonly string[];
  readonly words: readonly string[];
  /** Why nothing can match. */
  readonly problem: string | undefined;
}

/**
 * The terms of a filter: `missing`, `encrypted` and `changed`, `type:json` (its start is enough), `name:port`, `'port`
 * for the whole name and `~prt` for its letters; all others are searched everywhere. `!` before a term is its opposite.
 */
export function parseFilter(filter: string): Query {
  const terms: Term[] = [];
  const types = new Set<VariableType>();
  let problem: string | undefined;
  for (const word of filterWords(filter)) {
    const [, not, kind, text = ""] = /^(!?)(type:|name:|)(.*)$/.exec(word) ?? [];
    const isNot = not === "!";
    const type = VARIABLE_TYPES.find((each) => each.toLowerCase().startsWith(text));
    if (kind !== "type:") terms.push({ kind: kind === "name:" ? "name" : kindOf(text), text, isNot });
    else if (!type) problem ??= `there is no type ${text}; use ${VARIABLE_TYPES.join(", ").toLowerCase()}`;
    else if (isNot) terms.push({ kind: "type", text: type, isNot });
    else types.add(type);
  }
  const wordsOf = (...kinds: Term["kind"][]) =>
    terms.flatMap(({ kind, text, isNot }) => (!isNot && kinds.includes(kind) ? [text] : []));
  return { terms, types, nameWords: wordsOf("text", "name"), words: wordsOf("text"), problem };
}

function kindOf(text: string): Term["kind"] {
  if (FLAGS.includes(text)) return "flag";
  return /^['~]/.test(text) ? "name" : "text";
}
