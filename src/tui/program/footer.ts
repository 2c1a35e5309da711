import { actsIn, type Command } from "../state/command.js";
import type { State } from "../state/state.js";
import { type Line, line } from "../text/line.js";
import { isQuitQuestion } from "../view/question.js";
import { type KeyHint, keyLine, noticeLines, top } from "../view/screen.js";
import { keyLabel } from "../widgets/key.js";

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
  const keys = open.screen.hints?.(state, open.data) ?? [];
  // The last hint, how to leave, is always shown.
  return [keyLine(keys.slice(0, -1), columns, keys.slice(-1))];
}

function listKeys(state: State, commands: readonly Command[]): Line {
  const isAlways = ({ name }: Command) => ALWAYS.includes(name);
  const others = commands.filter((each) => !isAlways(each));
  return keyLine(browseKeys(state, others), state.columns, browseKeys(state, commands.filter(isAlways)));
}

/** The keys of commands that have a label and act now in the focused panel; first the one that opens a place or goes back. */
function browseKeys(state: State, commands: readonly Command[]): KeyHint[] {
  const here = commands.filter((command) => actsIn(command, state.focus));
  const isFirst = ({ name }: Command) => name === (state.focus === "places" ? "open" : "back");
  const sorted = [...here.filter(isFirst), ...here.filter((command) => !isFirst(command))];
  return sorted.flatMap(({ keys: [key], label: labels, disabledReason }) => {
    const label = typeof labels === "function" ? labels(state) : labels;
    if (key === undefined || label === undefined || disabledReason?.(state) !== undefined) return [];
    return [{ key: keyLabel(key), name: key, label }];
  });
}
