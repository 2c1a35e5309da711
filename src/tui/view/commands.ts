import type { VariableEntry } from "../../domain/source.js";
import { selectedEntry, targetEntries } from "../reading/selection.js";
import { actsIn, type Command, whereOf } from "../state/command.js";
import { notify, type State, type Step } from "../state/state.js";
import { step } from "../state/work.js";
import { keyLabel } from "../widgets/key.js";
import { type KeyHint, type Selection, top } from "./screen.js";

/** What is under the cursor, in whichever screen. */
export function selectionOf(state: State): Selection {
  const open = top(state);
  const shown = open?.screen.selected?.(state, open.data);
  if (shown) return shown;
  const entry = selectedEntry(state);
  return { place: state.place, name: entry?.variable.name, entry };
}

/** The variables that a command acts on: in the list those that are marked, or else what is under the cursor. */
export function targetsOf(state: State): readonly VariableEntry[] {
  if (state.stack.length === 0) return targetEntries(state);
  const { entry } = selectionOf(state);
  return entry ? [entry] : [];
}

/** Why a command can't run here now; undefined if it can. */
function whyNot(state: State, command: Command): string | undefined {
  const open = top(state);
  const act = open?.screen.acts?.[command.name];
  return act ? act.whyNot?.(state, open?.data) : command.disabledReason?.(state);
}

/** Runs the command of a key where the cursor is, or shows why it can't run now. Undefined if no command has this key. */
export function pressCommand(state: State, key: string, commands: readonly Command[]): Step | undefined {
  const where = whereOf(state);
  const fitting = commands.filter((each) => where !== undefined && each.keys.includes(key) && actsIn(each, where));
  // A keymap can give a key of this screen alone to another command too.
  const command = fitting.find((each) => each.where?.length === 1) ?? fitting[0];
  if (!command) return undefined;
  const reason = whyNot(state, command);
  if (reason !== undefined) return step(notify(state, reason, "error"));
  const open = top(state);
  const act = open?.screen.acts?.[command.name];
  return act ? act.run(state, open?.data) : command.run(state, "");
}

/** The keys of commands that have a label and can run where the cursor is. */
export function commandHints(state: State, commands: readonly Command[]): readonly KeyHint[] {
  const where = whereOf(state);
  return commands.flatMap((command): KeyHint[] => {
    const { keys, label: labels } = command;
    const [key] = keys;
    const label = typeof labels === "function" ? labels(state) : labels;
    if (where === undefined || !actsIn(command, where) || key === undefined || label === undefined) return [];
    return whyNot(state, command) === undefined ? [{ key: keyLabel(key), name: key, label }] : [];
  });
}
