import { keyLabel } from "../input/key.js";
import { type Candidate, candidatesOf, highlighted } from "../state/candidates.js";
import type { Command } from "../state/command.js";
import { keepVisible } from "../state/cursor.js";
import type { Size } from "../state/layout.js";
import type { CommandLine } from "../state/modes.js";
import type { State } from "../state/state.js";
import { highlight, searchWords } from "../text/fuzzy.js";
import { cellText, countText, fitText, type Line } from "../text/line.js";
import { GAP, type PanelContent, rowLines, selectRow } from "./panel-content.js";

const MIN_ROWS = 4;
const MAX_ROWS = 12;
/** Columns of a candidate, and of its key. */
const LABEL = 32;
const KEY = 6;

/** The list above the command line; undefined if nothing fits the input. Only visible rows are formatted. */
export function candidatesPanel(
  state: State,
  mode: CommandLine,
  commands: readonly Command[],
): { readonly size: Size; readonly content: PanelContent } | undefined {
  const { command, fitting, selected, typed } = candidatesOf(state, mode, commands);
  if (fitting.length === 0) return undefined;
  const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(state.rows / 3)));
  const page = Math.min(fitting.length, rows);
  const size = { width: state.columns, height: page + 2 };
  const cursor = selected ?? -1;
  const position = { cursor, top: Math.max(0, cursor - page + 1) };
  const words = searchWords(typed);
  const room = Math.min(LABEL, Math.floor(size.width / 3));
  const content = {
    title: command ? `${command.name} ${command.argument ?? ""}`.trimEnd() : "Commands",
    footnote: fitting.length > page ? positionOf(selected, fitting.length) : undefined,
    isFocused: false,
    select: selectRow(position, fitting.length, 0, (now, index) => ({ ...now, mode: highlighted(mode, index) })),
    scroll: (now: State, by: number) => {
      const index = keepVisible({ cursor: cursor + by, top: 0 }, fitting.length, 1).cursor;
      return { ...now, mode: highlighted(mode, index) };
    },
    lines: rowLines(fitting, position, page, true, (each) => cells(state, each, words, room, size.width - 4)),
  };
  return { size, content };
}

function keyOf({ command }: Candidate): string {
  return keyLabel(command?.keys[0] ?? "");
}

function positionOf(selected: number | undefined, count: number): string {
  return selected === undefined ? countText(count) : `${countText(selected + 1)}/${countText(count)}`;
}

/** `open <place>  opens the place under the cursor  Enter`; in place of the help why a command can't run now. */
function cells(state: State, candidate: Candidate, words: readonly string[], room: number, width: number): Line {
  const { label, help = "", command } = candidate;
  const reason = command?.disabledReason?.(state);
  const rest = Math.max(0, width - room - KEY - 5);
  return [
    { text: " " },
    ...highlight(words, label, room, { role: reason === undefined ? "text" : "muted" }),
    { text: GAP },
    { text: cellText(reason === undefined ? help : `✗ ${reason}`, rest), role: "muted" },
    { text: GAP },
    { text: fitText(keyOf(candidate), KEY), role: "accent" },
  ];
}
