import { gridOf } from "../stack/grid.js";
import type { Cell, PanelContent } from "../stack/panel.js";
import { isPrompt, pop, topScreen } from "../stack/screen.js";
import type { Size } from "../state/layout.js";
import type { State } from "../state/state.js";
import { namesOf } from "../table/selection.js";
import { textWidth } from "../text/graphemes.js";
import type { Line } from "../text/line.js";
import { keyNamed, type Mouse, type Press } from "../widgets/key.js";
import { screenContent } from "./frame.js";
import { handleKey } from "./keys.js";

const WHEEL_LINES = 3;

const DOUBLE_CLICK_MS = 400;

/** A click sooner than this after a redraw was aimed at the previous screen. */
const AIM_MS = 300;

/**
 * The number of `clickTargets` that determine the panels. The rest determines
 * the rows.
 */
const PANEL_TARGETS = 4;

/** The parts of the state that determine the target of a click. */
function clickTargets(state: State): readonly unknown[] {
  const { columns, rows, focus, place, placeCursor, places, stack } = state;
  const panels = [columns, rows, place, topScreen(state)?.screen];
  const grid = gridOf(state);
  const names = namesOf(grid, grid.top, grid.top + grid.page).join();
  return [...panels, focus, placeCursor, places, stack, names];
}

/** The targets that a user sees, and since when. */
export class ShownTargets {
  #targets: readonly unknown[] = [];
  #since = 0;

  /**
   * Must be called when a state has been drawn.
   *
   * @param now milliseconds on a monotonic clock
   */
  show(state: State, now: number): void {
    if (!this.#has(state)) this.#since = now;
    this.#targets = clickTargets(state);
  }

  hasPanels(state: State): boolean {
    return this.#has(state, PANEL_TARGETS);
  }

  /** Whether the targets have been on the screen long enough to aim at them. */
  isAimed(state: State, now: number): boolean {
    return this.#has(state) && now - this.#since >= AIM_MS;
  }

  #has(state: State, count?: number): boolean {
    return clickTargets(state)
      .slice(0, count)
      .every((target, index) => target === this.#targets[index]);
  }
}

/**
 * Acts in the panel under the pointer, even if another one has the focus.
 *
 * @param isAimed the result of `ShownTargets.isAimed`
 */
export function handleMouse(
  state: State,
  mouse: Mouse & Pick<Press, "at">,
  isAimed: boolean,
): State {
  const { content, cell, key } = pointedAt(state, mouse.column, mouse.row);
  // A typed number applies only to keys.
  const plain: State = { ...state, count: undefined };
  if (mouse.action !== "press")
    return turnWheel(plain, content, mouse.action === "wheel-up" ? -1 : 1);
  const press: Press = { ...mouse, screen: topScreen(state)?.screen.name ?? "" };
  const { lastPress } = state;
  const isSecond =
    lastPress?.column === press.column &&
    lastPress.row === press.row &&
    press.at - lastPress.at <= DOUBLE_CLICK_MS;
  // The first press opened another screen, which the second was not meant for.
  if (isSecond && lastPress?.screen !== press.screen) return state;
  if (!isAimed && (key !== undefined || !isSecond)) return state;
  if (key !== undefined) return handleKey({ ...state, lastPress: press }, keyNamed(key));
  const next: State = { ...plain, lastPress: press };
  const focused = content && focus(next, content);
  const selected = focused && cell && content.select?.(focused, cell);
  if (!selected) return focused ?? next;
  // Enter acts on the selection of the first press, because the rows may have
  // moved since.
  if (!isSecond || content.pressesEnter === false || cell.line < (content.heads ?? 0))
    return selected;
  return handleKey({ ...focused, lastPress: undefined }, keyNamed("enter"));
}

/** Focuses a panel. Returns `undefined` if a screen must be closed first. */
function focus(state: State, { panel }: PanelContent): State | undefined {
  const open = topScreen(state);
  // The filter typed so far is kept.
  if (panel === undefined) return open && isPrompt(open.screen) ? pop(state) : state;
  if (open && !isPrompt(open.screen)) return undefined;
  return { ...state, focus: panel, stack: [] };
}

function turnWheel(state: State, content: PanelContent | undefined, by: 1 | -1): State {
  if (content?.scroll) return content.scroll(state, by * WHEEL_LINES);
  // The wheel does nothing over a panel beside a question.
  if (!content || content.panel) return state;
  const key = keyNamed(by < 0 ? "up" : "down");
  return Array.from({ length: WHEEL_LINES }).reduce<State>((now) => handleKey(now, key), state);
}

interface Pointed {
  readonly content?: PanelContent;
  /** `undefined` on a border. */
  readonly cell?: Cell;
  readonly key?: string | undefined;
}

function pointedAt(state: State, column: number, row: number): Pointed {
  const { body, footer } = screenContent(state);
  const footerTop = state.rows - footer.length;
  if (row === 0) return {};
  if (row >= footerTop) return { key: keyAt(footer[row - footerTop] ?? [], column) };
  let left = 0;
  for (const panels of body) {
    let above = 1;
    for (const { size, content } of panels) {
      const cell: Cell = { line: row - above - 1, column: column - left - 1 };
      above += size.height;
      if (row >= above || column >= left + size.width) continue;
      return isInside(cell, size)
        ? { content, cell, key: keyAt(content.lines[cell.line] ?? [], cell.column) }
        : { content };
    }
    left += panels[0]?.size.width ?? 0;
  }
  return {};
}

/** Whether a cell is not on the border. */
function isInside({ line, column }: Cell, { width, height }: Size): boolean {
  return line >= 0 && column >= 0 && line <= height - 3 && column <= width - 3;
}

function keyAt(line: Line, column: number): string | undefined {
  let left = 0;
  return line.find(({ text }) => {
    left += textWidth(text);
    return column < left;
  })?.key;
}
