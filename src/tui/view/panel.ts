import type { Size } from "../state/layout.js";
import type { PanelName, State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { countText, cutLine, fitLine, fitText, indented, type Line, line, lineWidth, type Span } from "../text/line.js";
import type { Role } from "../text/theme.js";
import { type Position, scrollText } from "../widgets/list.js";
import { type TextField, textInput } from "../widgets/text-field.js";

export interface PanelContent {
  readonly title: string;
  readonly footnote?: string | undefined;
  /** The legend of signs, in their colors, in the lower border. */
  readonly legend?: Line;
  /** Whether it receives keys: shown by a thick border, a mark and the color. */
  readonly isFocused: boolean;
  /** Whether it shows data of production. */
  readonly isProduction?: boolean;
  /** From the top; cut to the size of the panel. */
  readonly lines: readonly Line[];
  /** The panel of the list that a click gives the focus. */
  readonly panel?: PanelName;
  /** The state after a click into it; undefined if nothing to select is there. */
  readonly select?: ((state: State, cell: Cell) => State | undefined) | undefined;
  /** Whether a double click on a row presses Enter. Default true. */
  readonly pressesEnter?: false;
  /** The state after the wheel was turned by so many lines; by default the arrow keys do that. */
  readonly scroll?: (state: State, by: number) => State;
}

export interface Panel {
  readonly size: Size;
  readonly content: PanelContent;
}

/** A cell of the content of a panel. Both count from 0. */
export interface Cell {
  readonly line: number;
  readonly column: number;
}

/** Selects the row that was clicked, of a list with `head` lines above its `count` rows. */
export function selectRow(
  { top }: Pick<Position, "top">,
  count: number,
  head: number,
  select: (state: State, index: number) => State,
): PanelContent["select"] {
  return (state, { line }) => {
    const index = top + line - head;
    return line >= head && index < count ? select(state, index) : undefined;
  };
}

/** A text that can be longer than its panel, of which `page` lines from `top` on are visible. */
export function scrolledContent({ lines, ...content }: PanelContent, top: number, page: number): PanelContent {
  return { ...content, ...scrolledLines(lines, top, page) };
}

/** The visible lines. A `top` that is too far down shows the last ones. */
export function scrolledLines(
  all: readonly Line[],
  top: number,
  page: number,
): Pick<PanelContent, "lines" | "footnote"> {
  const from = scrollText(top, all.length, page, 0);
  return {
    lines: all.slice(from, from + page).map(indented),
    footnote: all.length <= page ? undefined : positionText(all.length, from, page),
  };
}

/** `12-30/88` */
function positionText(count: number, top: number, page: number): string {
  return `${countText(top + 1)}-${countText(Math.min(count, top + page))}/${countText(count)}`;
}

/** The signs of differences and of marks. */
export const SIGNS = {
  added: { text: "+ ", role: "success" },
  removed: { text: "- ", role: "danger" },
  changed: { text: "~ ", role: "warning" },
} as const;

/** `PORT`, or `12 variables`. */
export function variablesText([first, ...others]: readonly { readonly name: string }[]): string {
  return others.length === 0 ? visibleText(first?.name ?? "") : `${countText(others.length + 1)} variables`;
}

interface Button {
  readonly label: string;
  /** The name of the key that does the same. */
  readonly key: string;
  readonly role: Role;
}

/** `[ Delete ]  [ Back ]`, the one with the focus inverse. */
export function buttonLine(buttons: readonly Button[], focused: number): Line {
  return buttons.flatMap(({ label, key, role }, index): Line => {
    const isFocused = index === focused;
    return [
      { text: index === 0 ? "" : "  " },
      { text: `[ ${label} ]`, role, isBold: isFocused, isInverse: isFocused, key },
    ];
  });
}

/** The gap between two cells of a list. */
export const GAP = "  ";

/** The heading of a list, as wide as its cells. */
export function headingLine(cells: readonly string[]): Line {
  return [{ text: `   ${cells.join(GAP)} `, role: "muted", isBold: true }];
}

/** The `page` visible rows of a list, with the mark of the cursor. Only these are formatted. */
export function rowLines<T>(
  rows: readonly T[],
  { cursor, top }: Position,
  page: number,
  isFocused: boolean,
  format: (row: T, index: number) => Line,
): Line[] {
  return rows.slice(top, top + page).map((row, line) => {
    const index = top + line;
    return rowLine(format(row, index), index === cursor, isFocused);
  });
}

/** One row of a list, with the mark of the cursor if that is on it. */
export function rowLine(cells: Line, isUnderCursor: boolean, isFocused: boolean): Line {
  const mark: Span = isUnderCursor ? { text: "›", role: "accent" } : { text: " " };
  const spans = [mark, ...cells, { text: " " }];
  return isUnderCursor ? spans.map((span) => cursorSpan(span, isFocused)) : spans;
}

/** Bold, and inverse in the panel with the focus. Inverse colors are hard to read; a match is underlined too. */
function cursorSpan(span: Span, isFocused: boolean): Span {
  if (!isFocused) return { ...span, isBold: true };
  const { text, role } = span;
  return { text, ...(role === "match" && { role }), isBold: true, isInverse: true };
}

const THIN = { left: "╭│╰", bar: "─", right: "╮│╯" } as const;
const THICK = { left: "┏┃┗", bar: "━", right: "┓┃┛" } as const;

export function panelLines(
  { title, footnote = "", legend, isFocused, isProduction = false, lines }: PanelContent,
  { width, height }: Size,
): Line[] {
  const { left, bar, right } = isFocused ? THICK : THIN;
  const role = isFocused ? (isProduction ? "warning" : "accent") : "muted";
  const inner = width - 2;
  const head = label(isFocused ? `▶ ${title}` : title, inner);
  const foot = label(footnote, inner);
  const rest = (used: number) => bar.repeat(Math.max(0, inner - 1 - used));
  const top: Line = [
    { text: bar, role },
    isProduction ? { text: head, role: "warning", isBold: true } : { text: head, role: isFocused ? "accent" : "text" },
    { text: rest(textWidth(head)), role },
  ];
  const rows = Array.from({ length: height - 2 }, (_, index) => fitLine(lines[index] ?? [], inner));
  const signs = legend ? [{ text: " " }, ...cutLine(legend, inner - 4), { text: " " }] : line(foot, role);
  const bottom: Line = [{ text: rest(lineWidth(signs)), role }, ...signs, { text: bar, role }];
  return [top, ...rows, bottom].map((row, index) => {
    const part = index === 0 ? 0 : index === height - 1 ? 2 : 1;
    return [{ text: left.charAt(part), role }, ...row, { text: right.charAt(part), role }];
  });
}

/** A text in a border, with spaces around it, cut if it is too wide. */
function label(text: string, inner: number): string {
  const room = inner - 4;
  return text === "" ? "" : ` ${textWidth(text) > room ? fitText(text, room) : text} `;
}

/** Columns for the word to type. */
const MIN_INPUT = 10;

/** `type shop/production to confirm: `, and the input. */
export function inputLine(label: string, typed: TextField, width: number): Line {
  const input = textInput(typed, Math.max(MIN_INPUT, width - textWidth(label)));
  return fitLine([{ text: label, role: "warning" }, ...input], width);
}
