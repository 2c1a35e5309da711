import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { VariableEntry } from "../../model/reads/variable-entries.js";
import { formatAs, isUnreadable } from "../../model/variable.js";
import { memoized } from "../state/memoized.js";
import { type Entries, readingOf } from "../state/readings.js";
import type { Revealed, State } from "../state/state.js";
import { isRevealed, parsedJson } from "./reveal.js";

/**
 * How the value of a cell compares with the value of the open place, or with
 * the first value in the row if the open place has none.
 */
export type CellKind = "same" | "differs" | "missing" | "encrypted" | "unread";

interface PlaceColumn {
  readonly place: number;
  /**
   * The entries by row. `undefined` where the variable doesn't exist, and
   * everywhere until the place has been read.
   */
  readonly cells: readonly (VariableEntry | undefined)[];
  readonly isRead: boolean;
}

/**
 * A table of names by places: the list has one place, a comparison two, and the
 * matrix all of a group.
 */
export interface Table {
  readonly names: readonly string[];
  readonly columns: readonly PlaceColumn[];
  /** The same columns, with the open place first. */
  readonly order: readonly PlaceColumn[];
}

/**
 * Cached, since 100,000 variables take time. The list stays below every other
 * table, so the two have separate caches.
 */
const listTables = memoized<Entries, Table>();
const otherTables = memoized<Entries, Table>();

/** @param places indexes of the places that are its columns */
export function tableOf(state: State, places: readonly number[]): Table {
  const { place: open } = state;
  const read = places.map((place) => {
    const { isComplete, entries } = readingOf(state, place);
    return place === open || isComplete ? entries : undefined;
  });
  const key = read.findLast((entries) => entries !== undefined) ?? readingOf(state).entries;
  const tables = places.length === 1 ? listTables : otherTables;
  return tables(key, [open, ...places, ...read], () => {
    const { names, cells } = aligned(read, Math.max(0, places.indexOf(open)));
    const columns = places.map((place, index): PlaceColumn => {
      return { place, cells: cells[index] ?? [], isRead: read[index] !== undefined };
    });
    const order = columns.toSorted((a, b) => Number(b.place === open) - Number(a.place === open));
    return { names, columns, order };
  });
}

/**
 * Arranges the entries by row: in the order of the open place, then those that
 * only other places have.
 */
function aligned(read: readonly (Entries | undefined)[], open: number) {
  const own = read[open] ?? [];
  const names = own.map(({ variable }) => variable.name);
  // Usually all environments of an application have the same variables.
  if (read.every((entries) => !entries || entries === own || hasNames(entries, names)))
    return { names, cells: read };
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
  return (
    entries.length === names.length &&
    entries.every(({ variable }, row) => variable.name === names[row])
  );
}

/** The value that the others in its row are compared with. */
function firstValue({ order }: Table, row: number): VariableEntry | undefined {
  return order.find(({ cells }) => cells[row]?.value)?.cells[row];
}

/**
 * Any entry of the variable, for the fields that all places share: type and
 * description.
 */
export function anyEntry({ order }: Table, row: number): VariableEntry | undefined {
  return order.find(({ cells }) => cells[row])?.cells[row];
}

/**
 * Encrypted values are not decrypted, and different ones can contain the same
 * text.
 */
export function kindOf(
  first: VariableEntry | undefined,
  entry: VariableEntry | undefined,
): CellKind {
  if (!entry?.value) return "missing";
  if (first === entry) return "same";
  if (!first?.value) return "differs";
  const [a, b] = [first.value.content.value, entry.value.content.value];
  if (a === b || isDeepStrictEqual(a, b))
    return first.variable.type === entry.variable.type ? "same" : "differs";
  return isUnreadable(a) || isUnreadable(b) ? "encrypted" : "differs";
}

/** The kinds of all cells, row by row. */
const allKinds = memoized<Table, readonly CellKind[]>();

function rowKinds(table: Table, row: number): readonly CellKind[] {
  const { names, columns } = table;
  const kinds = allKinds(table, [], () =>
    names.flatMap((_, at) => {
      const first = firstValue(table, at);
      return columns.map(({ isRead, cells }) => (isRead ? kindOf(first, cells[at]) : "unread"));
    }),
  );
  return kinds.slice(row * columns.length, (row + 1) * columns.length);
}

/**
 * The kind of a cell. Values that are currently decrypted are compared as plain
 * text.
 */
export function cellKind(
  table: Table,
  row: number,
  column: number,
  revealed: Revealed | undefined,
): CellKind {
  const kind = rowKinds(table, row)[column] ?? "unread";
  if (kind !== "encrypted" || !revealed || !isRevealed(revealed, table.names[row] ?? ""))
    return kind;
  const cells = [firstValue(table, row), table.columns[column]?.cells[row]];
  const [a, b] = cells.map((entry) => plainValue(entry, revealed));
  return a === undefined || b === undefined ? kind : isDeepStrictEqual(a, b) ? "same" : "differs";
}

/**
 * The text, or the parsed JSON, so that whitespace in encrypted text makes no
 * difference.
 */
function plainValue(
  entry: VariableEntry | undefined,
  { decrypted }: Revealed,
): JsonValue | undefined {
  if (!entry?.value) return undefined;
  const { value } = entry.value.content;
  const { type } = entry.variable;
  const text = isUnreadable(value) ? decrypted.get(value) : formatAs(value, type);
  const json = text !== undefined && type === "JSON" ? parsedJson(text) : undefined;
  return json === undefined ? text : json;
}

export function hasKind(table: Table, row: number, wanted: readonly CellKind[]): boolean {
  return rowKinds(table, row).some((kind) => wanted.includes(kind));
}

export function isUnequal(table: Table, row: number): boolean {
  const kinds = rowKinds(table, row);
  return !kinds.includes("unread") && kinds.some((kind) => kind !== kinds[0]);
}
