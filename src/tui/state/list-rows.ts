import type { VariableEntry } from "../../domain/source.js";
import { VARIABLE_TYPES } from "../../domain/variable.js";
import { matchRank, NO_MATCH, searchWords } from "../text/fuzzy.js";
import type { List, Sort } from "./state.js";

/** The indexes of the entries that match filter and type, in the order of the list: with a filter the best come first. */
export function listRows(entries: readonly VariableEntry[], { filter, type, sort }: List): readonly number[] {
  const order = sortedRows(entries, sort);
  const ofType = type ? order.filter((row) => entries[row]?.variable.type === type) : order;
  const words = searchWords(filter);
  return words.length === 0 ? ofType : rankedRows(ofType, entries, words);
}

/** What is found in the name comes before what is found in the description alone. */
const WORST_RANK = 2 * NO_MATCH;

/** Stable: rows of one rank keep their order. */
function rankedRows(
  rows: readonly number[],
  entries: readonly VariableEntry[],
  words: readonly string[],
): readonly number[] {
  const texts = searchTexts(entries);
  const ranked: number[][] = Array.from({ length: WORST_RANK }, () => []);
  for (const row of rows) ranked[rankOf(texts, row, words)]?.push(row);
  return ranked.flat();
}

function rankOf({ names, descriptions }: SearchTexts, row: number, words: readonly string[]): number {
  let worst = 0;
  for (const word of words) {
    const inName = matchRank(word, names[row] ?? "");
    const rank = inName < NO_MATCH ? inName : NO_MATCH + matchRank(word, descriptions[row] ?? "");
    if (rank > worst) worst = rank;
  }
  return worst;
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
