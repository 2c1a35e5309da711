import type { VariableEntry } from "../../domain/source.js";
import { COLUMN_NAMES, type ColumnChoice, type ColumnName } from "../state/preferences.js";
import type { List } from "../state/state.js";
import { isNarrow, textWidth, visibleText } from "../text/graphemes.js";
import { GAP } from "./panel-content.js";

export interface ListColumn {
  readonly name: ColumnName;
  readonly width: number;
}

/** Cursor, sign and a space before the cells, and a space after them. */
const AROUND = 4;
const TYPE = 7;
/** `NAME ↑` */
const MIN_NAME = 6;
const MAX_NAME = 32;
/** Columns of a value before there are descriptions. */
const VALUE = 40;
const MIN_DESCRIPTION = 16;

/**
 * The columns of a list of `width` columns. Names have the room that they need, descriptions the rest after values.
 *
 * @param names columns of the widest name
 * @param shown the wanted columns, in their order
 */
export function listColumns(
  width: number,
  names: number,
  shown: readonly ColumnName[] = COLUMN_NAMES,
): readonly ListColumn[] {
  const has = (name: ColumnName) => shown.includes(name);
  const room = width - AROUND - GAP.length * (shown.length - 1) - (has("type") ? TYPE : 0);
  const isShared = has("value") || has("description");
  const name = has("name") ? (isShared ? nameWidth(names, room) : room) : 0;
  const rest = room - name;
  const description = has("value") ? Math.min(rest - VALUE, Math.floor(rest * 0.45)) : rest;
  if (has("description") && has("value") && description < MIN_DESCRIPTION) {
    const others = shown.filter((each) => each !== "description");
    return listColumns(width, names, others);
  }
  const widths = { name, type: TYPE, value: has("description") ? rest - description : rest, description };
  return shown.map((each) => ({ name: each, width: widths[each] }));
}

/** The least width of a column without one of its own. */
const MIN_WIDTH = 8;

/** The columns that a person has chosen. Where there is no room for all, the last ones are left out, but not the name. */
export function chosenColumns(width: number, names: number, chosen: readonly ColumnChoice[]): readonly ListColumn[] {
  const fixed = chosen.flatMap(({ name, width: own }) => (own === undefined ? [] : [{ name, width: own }]));
  const others = chosen.flatMap(({ name, width: own }) => (own === undefined ? [name] : []));
  const rest = width - fixed.reduce((sum, column) => sum + column.width + GAP.length, 0);
  const needed =
    others.length > 0 ? AROUND + others.length * (MIN_WIDTH + GAP.length) - GAP.length : AROUND - GAP.length;
  const last = chosen.findLastIndex(({ name }) => name !== "name");
  if (rest < needed) {
    // A name alone is never too wide.
    return last < 0 ? listColumns(width, names, ["name"]) : chosenColumns(width, names, chosen.toSpliced(last, 1));
  }
  const sized = [...fixed, ...listColumns(rest, names, others)];
  return chosen.flatMap(({ name }) => sized.find((column) => column.name === name) ?? []);
}

/** A long name is cut where the value would have less room than both need. */
function nameWidth(names: number, room: number): number {
  return Math.min(names, Math.max(Math.floor(room * 0.6), room - VALUE));
}

// Computed once for each array of entries.
const knownWidths = new WeakMap<readonly VariableEntry[], number>();

/** Columns of the widest name, but at most 32. */
export function widestName(entries: readonly VariableEntry[]): number {
  const known = knownWidths.get(entries) ?? measure(entries);
  knownWidths.set(entries, known);
  return known;
}

function measure(entries: readonly VariableEntry[]): number {
  let widest = MIN_NAME;
  for (const { variable } of entries) {
    const { name } = variable;
    widest = Math.max(widest, isNarrow(name) ? name.length : textWidth(visibleText(name)));
    if (widest >= MAX_NAME) return MAX_NAME;
  }
  return widest;
}

/** The direction of the order. */
export function sortArrow({ isReversed }: Pick<List, "isReversed">): string {
  return isReversed ? "↓" : "↑";
}
