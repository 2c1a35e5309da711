import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, type JsonValue, textAs } from "../../domain/variable.js";
import { groupOf, readingOf } from "../state/reading.js";
import type { Revealed, State } from "../state/state.js";
import { filterWords, NO_MATCH, nameRank } from "../text/fuzzy.js";
import { parsedJson } from "../text/json.js";

/** The state of a cell's value, compared with that of the open place or, if there is none, the first one of its row. */
const CELL_KINDS = ["same", "differs", "missing", "encrypted", "unread"] as const;
export type CellKind = (typeof CELL_KINDS)[number];

interface Column {
  /** Index of the place. */
  readonly place: number;
  /** By row; undefined where the variable doesn't exist, and everywhere until the place has been read. */
  readonly cells: readonly (VariableEntry | undefined)[];
  readonly isRead: boolean;
}

/** Names by the places of a group. */
export interface Table {
  /** One for each row. */
  readonly names: readonly string[];
  readonly columns: readonly Column[];
  /** The same columns, with the open place first. */
  readonly order: readonly Column[];
  /** Indexes of `CELL_KINDS`, row by row. */
  readonly kinds: Uint8Array;
}

type Read = Pick<State, "places" | "place" | "readings">;
type Entries = readonly VariableEntry[];
interface Known {
  readonly read: readonly (Entries | undefined)[];
  readonly table: Table;
}

/** Made once for each read: with 100,000 variables it takes time. Kept as long as the entries of a place in it. */
const knownTables = new WeakMap<Entries, Known>();

export function tableOf(state: Read): Table {
  const { place: open } = state;
  const places = groupOf(state);
  const read = places.map((place) => {
    const { isComplete, entries } = readingOf(state, place);
    return place === open || isComplete ? entries : undefined;
  });
  const key = read.findLast((entries) => entries !== undefined) ?? readingOf(state).entries;
  const known = knownTables.get(key);
  if (known?.read.length === read.length && known.read.every((entries, index) => entries === read[index])) {
    return known.table;
  }
  const table = makeTable(open, places, read);
  knownTables.set(key, { read, table });
  return table;
}

function makeTable(open: number, places: readonly number[], read: Known["read"]): Table {
  const { names, cells } = aligned(read, Math.max(0, places.indexOf(open)));
  const columns = places.map((place, index): Column => {
    return { place, cells: cells[index] ?? [], isRead: read[index] !== undefined };
  });
  const order = columns.toSorted((a, b) => Number(b.place === open) - Number(a.place === open));
  const kinds = new Uint8Array(names.length * columns.length);
  let at = 0;
  for (let row = 0; row < names.length; row++) {
    const first = firstValue(order, row);
    for (const column of columns) {
      kinds[at++] = CELL_KINDS.indexOf(column.isRead ? kindOf(first, column.cells[row]) : "unread");
    }
  }
  return { names, columns, order, kinds };
}

/** The entries of each place by row: in the order of the open one, then those of other places only. */
function aligned(read: Known["read"], open: number) {
  const own = read[open] ?? [];
  const names = own.map(({ variable }) => variable.name);
  // The environments of an application have the same variables.
  if (read.every((entries) => !entries || hasNames(entries, names))) return { names, cells: read };
  const rows = new Map(names.map((name, row) => [name, row]));
  const cells = read.map((entries) => {
    const byRow: (VariableEntry | undefined)[] = [];
    for (const entry of entries ?? []) {
      const { name } = entry.variable;
      const row = rows.get(name) ?? names.push(name) - 1;
      rows.set(name, row);
      byRow[row] = entry;
    }
    return byRow;
  });
  return { names, cells };
}

function hasNames(entries: Entries, names: readonly string[]): boolean {
  return entries.length === names.length && entries.every(({ variable }, row) => variable.name === names[row]);
}

/** The value that the others of its row are compared with. */
function firstValue(order: Table["order"], row: number): VariableEntry | undefined {
  for (const { cells } of order) {
    const entry = cells[row];
    if (entry?.value) return entry;
  }
  return undefined;
}

/** Compares two values of a variable. Encrypted ones are not decrypted: two of them can differ and hold the same text. */
export function kindOf(first: VariableEntry | undefined, entry: VariableEntry | undefined): CellKind {
  if (!entry?.value) return "missing";
  if (first === entry) return "same";
  if (!first?.value) return "differs";
  const [a, b] = [first.value.content.value, entry.value.content.value];
  if (a === b || isDeepStrictEqual(a, b)) return first.variable.type === entry.variable.type ? "same" : "differs";
  return isEncrypted(a) || isEncrypted(b) ? "encrypted" : "differs";
}

/** The kind of a cell, also of a value that is decrypted at the moment. */
export function cellKind({ columns, order, kinds }: Table, row: number, column: number, revealed?: Revealed): CellKind {
  const kind = CELL_KINDS[kinds[row * columns.length + column] ?? 0] ?? "unread";
  if (kind !== "encrypted" || !revealed) return kind;
  const [a, b] = [firstValue(order, row), columns[column]?.cells[row]].map((entry) => plainValue(entry, revealed));
  return a === undefined || b === undefined ? kind : isDeepStrictEqual(a, b) ? "same" : "differs";
}

/** The text of a value; of JSON the value itself, as spaces in an encrypted text make no difference. */
function plainValue(entry: VariableEntry | undefined, { decrypted }: Revealed): JsonValue | undefined {
  if (!entry?.value) return undefined;
  const { value } = entry.value.content;
  const { type } = entry.variable;
  const text = isEncrypted(value) ? decrypted.get(value) : textAs(value, type);
  const json = text !== undefined && type === "JSON" ? parsedJson(text) : undefined;
  return json === undefined ? text : json;
}

export const ONLY = ["all", "differing", "missing"] as const;

/** Which rows a matrix shows. */
interface Filter {
  readonly filter: string;
  readonly only: (typeof ONLY)[number];
}
const knownRows = new WeakMap<Table, Filter & { readonly rows: readonly number[] }>();

/** The rows of a table that a matrix shows. */
export function matrixRows(table: Table, { filter, only }: Filter): readonly number[] {
  const known = knownRows.get(table);
  if (known?.filter === filter && known.only === only) return known.rows;
  const words = filterWords(filter);
  const isMatch = (name: string) => words.every((word) => nameRank(word, name.toLowerCase()) < NO_MATCH);
  const isShown = (row: number) =>
    (only === "all" || hasKind(table, row, only === "missing" ? ["missing"] : ["differs"])) &&
    isMatch(table.names[row] ?? "");
  const rows = [...table.names.keys()].filter(isShown);
  knownRows.set(table, { filter, only, rows });
  return rows;
}

export function hasKind({ columns, kinds }: Table, row: number, wanted: readonly CellKind[]): boolean {
  return columns.some((_, column) =>
    wanted.includes(CELL_KINDS[kinds[row * columns.length + column] ?? 0] ?? "unread"),
  );
}

/** Where a name is among rows; where the cursor was, if it isn't there. */
export function cursorAt(
  { names }: Table,
  rows: readonly number[],
  { name, cursor }: { readonly name: string; readonly cursor: number },
) {
  const isAt = (row: number | undefined) => row !== undefined && names[row] === name;
  if (isAt(rows[cursor])) return cursor;
  const found = rows.findIndex(isAt);
  return found < 0 ? cursor : found;
}
