import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";
import type { List, Sort } from "../state/state.js";
import { LETTERS, matchRank, searchWords } from "../text/fuzzy.js";

/**
 * The indexes of the entries that match filter and type, in the order of the list: with a filter the best come first.
 *
 * @param isChanged whether a variable was changed recently
 */
export function listRows(
  entries: readonly VariableEntry[],
  { filter, type, sort, isReversed }: List,
  isChanged: (name: string) => boolean,
): readonly number[] {
  const query = parseFilter(filter);
  if (query.problem !== undefined) return [];
  const order = sortedRows(entries, sort);
  const rows = isReversed ? order.toReversed() : order;
  const tests = testsOf(query, type, isChanged);
  const passing = tests.length === 0 ? rows : rows.filter((row) => tests.every((test) => test(entries[row])));
  return query.words.length + query.nameWords.length === 0 ? passing : rankedRows(passing, entries, query);
}

type Test = (entry: VariableEntry | undefined) => boolean;

function testsOf({ flags, types }: Query, type: VariableType | undefined, isChanged: (name: string) => boolean) {
  const tests: Test[] = [];
  if (type) tests.push((entry) => entry?.variable.type === type);
  if (types.size > 0) tests.push((entry) => entry !== undefined && types.has(entry.variable.type));
  if (flags.has("missing")) tests.push((entry) => entry?.value === undefined);
  if (flags.has("encrypted")) tests.push((entry) => isEncrypted(entry?.value?.content.value));
  if (flags.has("changed")) tests.push((entry) => entry !== undefined && isChanged(entry.variable.name));
  return tests;
}

/** After the parts of names: matches in the description only, then names with other letters in between. */
const [IN_DESCRIPTION, IN_LETTERS, NOT_FOUND] = [LETTERS, LETTERS + 1, LETTERS + 2];

/** Stable: rows of one rank keep their order. */
function rankedRows(rows: readonly number[], entries: readonly VariableEntry[], query: Query): readonly number[] {
  const texts = searchTexts(entries);
  const ranked: number[][] = Array.from({ length: NOT_FOUND }, () => []);
  for (const row of rows) ranked[rankOf(texts, row, query)]?.push(row);
  return ranked.flat();
}

function rankOf({ names, descriptions }: SearchTexts, row: number, { words, nameWords }: Query): number {
  const name = names[row] ?? "";
  let worst = 0;
  for (const word of nameWords) {
    worst = Math.max(worst, rankOfWord(word, name));
  }
  for (const word of words) {
    worst = Math.max(worst, rankOfWord(word, name, descriptions[row]));
  }
  return worst;
}

function rankOfWord(word: string, name: string, description?: string): number {
  const rank = matchRank(word, name);
  if (rank < LETTERS) return rank;
  // A description has the letters of almost any word.
  if (description?.includes(word)) return IN_DESCRIPTION;
  return rank === LETTERS ? IN_LETTERS : NOT_FOUND;
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

const FLAGS = ["missing", "encrypted", "changed"] as const;
type Flag = (typeof FLAGS)[number];

/** The conditions of a filter. A variable must match each word and flag, and one of the types. */
export interface Query {
  /** In lower case. */
  readonly words: readonly string[];
  /** Those that must be in the name: `name:port`. */
  readonly nameWords: readonly string[];
  readonly flags: ReadonlySet<Flag>;
  /** All if there is none. */
  readonly types: ReadonlySet<VariableType>;
  /** Why nothing can match. */
  readonly problem: string | undefined;
}

/** `!missing`, `!encrypted` and so on, with the types. */
const CONDITIONS = [...FLAGS, ...VARIABLE_TYPES.map((type) => type.toLowerCase())];

/**
 * The words of a filter: `!missing` is a condition, `type:json` a type and `name:port` a word of the name; all others
 * are searched in name and description. The start of a condition is enough.
 */
export function parseFilter(filter: string): Query {
  const words: string[] = [];
  const nameWords: string[] = [];
  const flags = new Set<Flag>();
  const types = new Set<VariableType>();
  let problem: string | undefined;
  for (const word of searchWords(filter)) {
    const [, kind, text = ""] = /^(!|type:|name:)(.*)$/u.exec(word) ?? [];
    if (kind === undefined) words.push(word);
    else if (text === "") continue;
    else if (kind === "name:") nameWords.push(text);
    else {
      const flag = kind === "!" ? FLAGS.find((each) => each.startsWith(text)) : undefined;
      const type = VARIABLE_TYPES.find((each) => each.toLowerCase().startsWith(text));
      if (flag) flags.add(flag);
      else if (type) types.add(type);
      else problem ??= `there is no ${word}; use ${known(kind)}`;
    }
  }
  return { words, nameWords, flags, types, problem };
}

function known(kind: string): string {
  if (kind === "type:") return `one of ${CONDITIONS.slice(FLAGS.length).join(", ")}`;
  return CONDITIONS.map((each) => `!${each}`).join(", ");
}
