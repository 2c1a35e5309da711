import type { Entry } from "../ports.js";
import { searchWords } from "../state/fuzzy.js";
import { MASK, shownValue } from "../state/shown-value.js";
import type { Sort, State } from "../state/state.js";
import { cellText } from "../text/cell-text.js";
import { fitText } from "../text/fit-line.js";
import { highlight } from "../text/highlight.js";
import type { Line, Span } from "../text/line.js";

/** Columns of each cell; between two of them are two. */
interface ListColumns {
  readonly name: number;
  readonly type: number;
  readonly value: number;
  /** 0 where there is no room for one. */
  readonly description: number;
}

/** Columns from which on there is room for the description. */
const WIDE = 90;
const TYPE_WIDTH = 7;
/** Cursor, mark, a space between; and one at the end. */
const AROUND = 4;
const GAP = "  ";

/** Shares the width of a list among its cells. */
export function listColumns(width: number): ListColumns {
  const cells = width - AROUND - TYPE_WIDTH - 2 * GAP.length;
  if (width < WIDE) {
    const value = Math.max(11, Math.floor(cells * 0.4));
    return { name: cells - value, type: TYPE_WIDTH, value, description: 0 };
  }
  const name = Math.floor((cells - GAP.length) * 0.34);
  const value = Math.floor((cells - GAP.length) * 0.28);
  return { name, type: TYPE_WIDTH, value, description: cells - GAP.length - name - value };
}

export function headingLine(columns: ListColumns, sort: Sort): Line {
  const name = fitText(sort === "name" ? "NAME ↓" : "NAME", columns.name);
  const type = fitText(sort === "type" ? "TYPE ↓" : "TYPE", columns.type);
  const cells = [name, type, fitText("VALUE", columns.value)];
  if (columns.description > 0) cells.push(fitText("DESCRIPTION", columns.description));
  return [{ text: `   ${cells.join(GAP)} `, role: "muted", isBold: true }];
}

/**
 * One row of the list.
 *
 * @param row index into `list.rows`
 */
export function variableLine(state: State, entryIndex: number, row: number, columns: ListColumns): Line {
  const entry = state.loaded.entries[entryIndex];
  if (!entry) return [];
  const isCursor = row === state.list.cursor;
  const isInverse = isCursor && state.focus === "variables";
  const look = { ...(isCursor && { isBold: true }), ...(isInverse && { isInverse }) };
  const line = cells(entry, state, columns).map((span): Span => {
    // Colours would make a patchwork of what is inverse; what matches is told by its line too.
    return isInverse && span.role !== "match" ? { text: span.text, ...look } : { ...span, ...look };
  });
  return [
    { text: isCursor ? "›" : " ", role: isInverse ? "text" : "accent", ...look },
    ...line,
    { text: " ", ...look },
  ];
}

function cells(entry: Entry, state: State, columns: ListColumns): Line {
  const words = state.list.filter === "" ? [] : searchWords(state.list.filter);
  const { name, type, description } = entry.variable;
  return [
    mark(state.marks?.kinds.get(name)),
    ...searched(words, name, columns.name, {}),
    { text: `${GAP}${cellText(type, columns.type)}${GAP}`, role: "muted" },
    valueCell(entry, state, columns.value),
    ...(columns.description > 0 ? descriptionCell(words, description, columns.description) : []),
  ];
}

function descriptionCell(words: readonly string[], text: string, width: number): Line {
  return [{ text: GAP, role: "muted" }, ...searched(words, text, width, { role: "muted" })];
}

function searched(words: readonly string[], text: string, width: number, look: Omit<Span, "text">): Line {
  return words.length === 0 ? [{ ...look, text: cellText(text, width) }] : highlight(words, text, width, look);
}

function mark(kind: "added" | "changed" | undefined): Span {
  if (kind === "added") return { text: "+ ", role: "success" };
  return kind === "changed" ? { text: "~ ", role: "warning" } : { text: "  " };
}

const ROLES = { STRING: "string", NUMBER: "number", BOOLEAN: "boolean", JSON: "json" } as const;

function valueCell(entry: Entry, state: State, width: number): Span {
  const shown = shownValue(entry, state);
  switch (shown.kind) {
    case "shown":
      if (shown.text === "") return { text: fitText("(empty)", width), role: "muted" };
      return { text: cellText(shown.text, width), role: ROLES[entry.variable.type] ?? "text" };
    case "masked":
      return { text: fitText(MASK, width), role: "muted" };
    case "encrypted":
      return { text: fitText("(encrypted)", width), role: "warning" };
    case "none":
      return { text: fitText("(no value)", width), role: "muted" };
    case "loading":
      return { text: fitText("…", width), role: "muted" };
  }
}
