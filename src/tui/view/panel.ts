import type { Size } from "../state/layout.js";
import type { PanelName, State } from "../state/state.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import {
  countOf,
  countText,
  cutLine,
  fitText,
  indented,
  type Line,
  line,
  lineWidth,
  type Span,
} from "../text/line.js";
import type { Role } from "../text/theme.js";
import { scrollBy } from "../widgets/list.js";

export interface PanelContent {
  readonly title: string;
  readonly footnote?: string | undefined;
  /** The legend of signs, in their colors, in the lower border. */
  readonly legend?: Line;
  /** Whether it receives keys: shown by a thick border, a mark and the color. */
  readonly isFocused: boolean;
  readonly isProduction?: boolean;
  /** From the top; cut to the size of the panel. */
  readonly lines: readonly Line[];
  /** How many of them are headings, which a double click does not open. */
  readonly heads?: number;
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

/**
 * The `page` lines from `top` on of a text that can be longer than its panel. A `top` that is too
 * far down shows the last ones.
 */
export function scrolledLines(all: readonly Line[], top: number, page: number) {
  const from = scrollBy(top, all.length, page, 0);
  // `12-30/88`
  const position = `${countText(from + 1)}-${countText(from + page)}/${countText(all.length)}`;
  return {
    lines: all.slice(from, from + page).map(indented),
    footnote: all.length > page ? position : undefined,
  };
}

/** `PORT`, or `12 variables`. */
export function variablesText([first, ...others]: readonly { readonly name: string }[]): string {
  return others.length === 0
    ? visibleText(first?.name ?? "")
    : countOf(others.length + 1, "variable");
}

/** The gap between two cells of a list. */
export const GAP = "  ";

/** One row of a list, with the mark of the cursor if that is on it. */
export function rowLine(cells: Line, isUnderCursor: boolean, isFocused: boolean): Line {
  const mark: Span = isUnderCursor ? { text: "›", role: "accent" } : { text: " " };
  const spans = [mark, ...cells, { text: " " }];
  return isUnderCursor ? spans.map((span) => cursorSpan(span, isFocused)) : spans;
}

/**
 * Bold, and inverse in the panel with the focus. Inverse colors are hard to read; a match is
 * underlined too.
 */
function cursorSpan(span: Span, isFocused: boolean): Span {
  if (!isFocused) return { ...span, isBold: true };
  const { text, role } = span;
  return { text, ...(role === "match" && { role }), isBold: true, isInverse: true };
}

/** A panel as it is drawn. */
export interface PanelFrame {
  readonly size: Size;
  readonly border: keyof typeof BORDERS | "classic";
  /** Of the border. */
  readonly role: Role;
  /** The first and the last one are a part of the border, with a title and a footnote. */
  readonly lines: readonly Line[];
}

/** Corners from the top left, and the bar between them, as ink draws the rest. */
const BORDERS = { round: ["╭", "╮", "╰", "╯", "─"], bold: ["┏", "┓", "┗", "┛", "━"] } as const;

export function panelFrame(content: PanelContent, size: Size): PanelFrame {
  const { title, footnote = "", legend, isFocused, isProduction = false, lines } = content;
  const border = isFocused ? "bold" : "round";
  const [topLeft, topRight, bottomLeft, bottomRight, bar] = BORDERS[border];
  const role = isFocused ? (isProduction ? "warning" : "accent") : "muted";
  const inner = size.width - 2;
  const head = borderText(isFocused ? `▶ ${title}` : title, inner);
  const look = isProduction
    ? ({ role: "warning", isBold: true } as const)
    : ({ role: isFocused ? "accent" : "text" } as const);
  const foot = legend
    ? [{ text: " " }, ...cutLine(legend, inner - 4), { text: " " }]
    : line(borderText(footnote, inner), role);
  const rest = (used: number) => bar.repeat(Math.max(0, inner - 1 - used));
  const top: Line = [
    { text: topLeft + bar, role },
    { text: head, ...look },
    { text: rest(textWidth(head)) + topRight, role },
  ];
  const bottom: Line = [
    { text: bottomLeft + rest(lineWidth(foot)), role },
    ...foot,
    { text: bar + bottomRight, role },
  ];
  return { size, border, role, lines: [top, ...lines.slice(0, size.height - 2), bottom] };
}

/** A text in a border, with spaces around it, cut if it is too wide. */
function borderText(text: string, inner: number): string {
  const room = inner - 4;
  return text === "" ? "" : ` ${textWidth(text) > room ? fitText(text, room) : text} `;
}
