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
  /** A colored legend of signs, shown in the lower border. */
  readonly legend?: Line;
  /**
   * Whether the panel receives keys. It then has a thick border, a mark and
   * another color.
   */
  readonly isFocused: boolean;
  /** Lines that don't fit are cut. */
  readonly lines: readonly Line[];
  /** The number of heading lines, which a double click does not open. */
  readonly heads?: number;
  /** The panel of the list that a click focuses. */
  readonly panel?: PanelName;
  /** Handles a click. Returns `undefined` if there is nothing to select. */
  readonly select?: ((state: State, cell: Cell) => State | undefined) | undefined;
  /** Whether a double click on a row presses Enter. Default: true. */
  readonly pressesEnter?: false;
  /** Handles the wheel. By default, it presses the arrow keys. */
  readonly scroll?: (state: State, by: number) => State;
}

export interface Panel {
  readonly size: Size;
  readonly content: PanelContent;
}

/** A position in the content, counted from 0. */
export interface Cell {
  readonly line: number;
  readonly column: number;
}

/**
 * Cuts a page from a string. A `top` that is too far down shows the last lines.
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

export function rowLine(cells: Line, isUnderCursor: boolean, isFocused: boolean): Line {
  const mark: Span = isUnderCursor ? { text: "›", role: "accent" } : { text: " " };
  const spans = [mark, ...cells, { text: " " }];
  return isUnderCursor ? spans.map((span) => cursorSpan(span, isFocused)) : spans;
}

/**
 * A match, which is underlined, keeps its role. Other inverse colors are hard
 * to read.
 */
function cursorSpan(span: Span, isFocused: boolean): Span {
  if (!isFocused) return { ...span, isBold: true };
  const { text, role } = span;
  return { text, ...(role === "match" && { role }), isBold: true, isInverse: true };
}

export interface PanelFrame {
  readonly size: Size;
  readonly border: keyof typeof BORDERS | "classic";
  /** The role of the border. */
  readonly role: Role;
  /**
   * The first and the last line are borders, with the title and the footnote.
   */
  readonly lines: readonly Line[];
}

/** The corners, from the top left, and the bar. Ink draws the sides. */
const BORDERS = { round: ["╭", "╮", "╰", "╯", "─"], bold: ["┏", "┓", "┗", "┛", "━"] } as const;

export function panelFrame(content: PanelContent, size: Size, isProduction = false): PanelFrame {
  const { title, footnote = "", legend, isFocused, lines } = content;
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

function borderText(text: string, inner: number): string {
  const room = inner - 4;
  return text === "" ? "" : ` ${textWidth(text) > room ? fitText(text, room) : text} `;
}
