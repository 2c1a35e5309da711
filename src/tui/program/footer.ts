import type { Command } from "../state/command.js";
import type { State } from "../state/state.js";
import { type Line, line } from "../text/line.js";
import { commandHints } from "../view/commands.js";
import { isQuitQuestion } from "../view/question.js";
import { type KeyHint, keyLine, noticeLines, top } from "../view/screen.js";

const PREPARING = line(" … please wait; Ctrl-C quits", "muted");

/** Commands whose keys are shown at any width. */
const ALWAYS: readonly string[] = ["help", "quit"];

/**
 * The line below the panels: the input of the filter or a command, a notice, or else the keys that work now. A notice
 * or a problem can have several lines.
 */
export function footerLines(state: State, commands: readonly Command[]): readonly Line[] {
  const { notice, columns, pending } = state;
  const open = top(state);
  const input = open?.screen.input?.(state, open.data);
  if (input) return input;
  if (notice) return noticeLines(notice, columns);
  if (pending && !isQuitQuestion(state)) return [PREPARING];
  if (!open) return [listKeys(state, commands)];
  const keys = open.screen.hints?.(state, open.data) ?? screenKeys(state, commands);
  // The last hint, how to leave, is always shown.
  return [keyLine(keys.slice(0, -1), columns, keys.slice(-1))];
}

/** The keys of the list; first the one that opens a place or goes back. */
function listKeys(state: State, commands: readonly Command[]): Line {
  const first = state.focus === "places" ? "open" : "back";
  const others = commands.filter(({ name }) => !ALWAYS.includes(name));
  const always = commands.filter(({ name }) => ALWAYS.includes(name));
  return keyLine(commandHints(state, firstOf(others, [first])), state.columns, commandHints(state, always));
}

/** The keys of commands on a screen: first how to go into what is shown, last how to leave. */
function screenKeys(state: State, commands: readonly Command[]): readonly KeyHint[] {
  const inner = commands.filter(({ name }) => !ALWAYS.includes(name) && name !== "back");
  const last = commands.filter(({ name }) => name === "back");
  return commandHints(state, [...firstOf(inner, ["open", "next-panel"]), ...last]);
}

function firstOf(commands: readonly Command[], names: readonly string[]): readonly Command[] {
  const isFirst = ({ name }: Command) => names.includes(name);
  return [...commands.filter(isFirst), ...commands.filter((each) => !isFirst(each))];
}
