import type { Command } from "../state/command.js";
import type { State } from "../state/state.js";
import { textWidth } from "../text/graphemes.js";
import type { Line } from "../text/line.js";
import type { Cell, PanelContent } from "../view/panel-content.js";
import { type Panel, screenContent } from "./screen.js";

/** The target of the mouse. */
export interface Pointed {
  readonly content?: PanelContent;
  /** In the content; outside of its lines on a border. */
  readonly cell?: Cell;
  /** The name of the key that a click presses. */
  readonly key?: string | undefined;
}

/** The target at a cell of the screen, which counts from 0. */
export function pointedAt(state: State, commands: readonly Command[], column: number, row: number): Pointed {
  const { rows } = state;
  const { header, body, overlay, footer } = screenContent(state, commands);
  if (row === 0) return { key: keyAt(header, column) };
  const footerTop = rows - footer.length;
  if (row >= footerTop) return { key: keyAt(footer[row - footerTop] ?? [], column) };
  const overlayTop = footerTop - (overlay?.size.height ?? 0);
  if (overlay && row >= overlayTop) return inPanels([overlay], column, row - overlayTop);
  let left = 0;
  for (const panels of body) {
    const { width } = panels[0]?.size ?? { width: 0 };
    if (column < left + width) return inPanels(panels, column - left, row - 1);
    left += width;
  }
  return {};
}

function inPanels(panels: readonly Panel[], column: number, row: number): Pointed {
  let above = 0;
  for (const { size, content } of panels) {
    if (row < above + size.height) {
      const cell: Cell = { line: row - above - 1, column: column - 1 };
      const isInside =
        cell.line >= 0 && cell.line < size.height - 2 && cell.column >= 0 && cell.column < size.width - 2;
      return isInside ? { content, cell, key: keyAt(content.lines[cell.line] ?? [], cell.column) } : { content };
    }
    above += size.height;
  }
  return {};
}

function keyAt(line: Line, column: number): string | undefined {
  let left = 0;
  return line.find(({ text }) => {
    left += textWidth(text);
    return column < left;
  })?.key;
}
