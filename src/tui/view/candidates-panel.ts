import { type Candidate, candidatesOf } from "../state/candidates.js";
import type { Command } from "../state/command.js";
import { keyLabel } from "../state/key.js";
import type { Size } from "../state/layout.js";
import type { CommandLine, State } from "../state/state.js";
import { highlight, searchWords } from "../text/fuzzy.js";
import { textWidth, visibleText } from "../text/graphemes.js";
import { cellText, countText, fitText, type Line } from "../text/line.js";
import { GAP, type PanelContent, rowLines } from "./panel-content.js";

const MIN_ROWS = 4;
const MAX_ROWS = 12;
const MAX_LABEL = 40;
const KEY_WIDTH = "Shift-Tab".length;

/** The list above the command line; undefined if nothing fits what was typed. Only visible rows are formatted. */
export function candidatesPanel(
  state: State,
  mode: CommandLine,
  commands: readonly Command[],
): { readonly size: Size; readonly content: PanelContent } | undefined {
  const { command, fitting, selected, typed } = candidatesOf(state, mode, commands);
  if (fitting.length === 0) return undefined;
  const room = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(state.rows / 3)));
  const page = Math.min(fitting.length, room);
  const size = { width: state.columns, height: page + 2 };
  const cursor = selected ?? -1;
  const position = { cursor, top: Math.max(0, cursor - page + 1) };
  const words = searchWords(typed);
  const longest = fitting.reduce((most, { label }) => Math.max(most, textWidth(visibleText(label))), 0);
  const width = Math.min(longest, MAX_LABEL, Math.floor(size.width / 2));
  const content = {
    title: command ? `${command.name} ${command.argument ?? ""}`.trimEnd() : "Commands",
    footnote: fitting.length > page ? positionOf(selected, fitting.length) : undefined,
    isFocused: false,
    lines: rowLines(fitting, position, page, true, (each) => cells(state, each, words, width, size.width - 4)),
  };
  return { size, content };
}

function positionOf(selected: number | undefined, count: number): string {
  return selected === undefined ? countText(count) : `${countText(selected + 1)}/${countText(count)}`;
}

/** `open <place>  opens the place under the cursor  Enter`; in place of the help why a command can't run now. */
function cells(
  state: State,
  { label, help = "", command }: Candidate,
  words: readonly string[],
  width: number,
  total: number,
): Line {
  const reason = command?.disabledReason?.(state);
  const keyWidth = command ? KEY_WIDTH : 0;
  const rest = Math.max(0, total - width - keyWidth - 5);
  return [
    { text: " " },
    ...highlight(words, label, width, { role: reason === undefined ? "text" : "muted" }),
    { text: GAP },
    { text: cellText(reason === undefined ? help : `✗ ${reason}`, rest), role: "muted" },
    { text: GAP },
    { text: fitText(keyLabel(command?.keys[0] ?? ""), keyWidth), role: "accent" },
  ];
}
