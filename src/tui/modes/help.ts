import { commandKeyName, type Key } from "../input/key.js";
import type { Command } from "../state/command.js";
import { scroll } from "../state/cursor.js";
import { bodyPage, layoutOf, textColumns } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import { keyHelp, type ModeKey } from "../state/mode-keys.js";
import type { HelpMode } from "../state/modes.js";
import type { State } from "../state/state.js";
import { helpLines } from "../view/help-panel.js";

/** @param table the keys of the present mode, to go back to; by default all commands are shown */
export function openHelp<M>(state: State, table?: readonly ModeKey<M>[]): Step {
  const { mode: back } = state;
  return step({ ...state, mode: { kind: "help", top: 0, ...(table && { keys: keyHelp(table), back }) } });
}

export function helpKey(state: State, mode: HelpMode, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  if (name === "escape" || name === "q" || name === "?")
    return step({ ...state, mode: mode.back ?? { kind: "browse" } });
  const count = helpLines(commands, textColumns(layoutOf(state).body), mode.keys).length;
  const top = scroll(mode.top, count, bodyPage(state), name);
  return step(top === undefined ? state : { ...state, mode: { ...mode, top } });
}
