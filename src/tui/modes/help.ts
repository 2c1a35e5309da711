import { commandKeyName, type Key } from "../input/key.js";
import type { Command } from "../state/command.js";
import { scroll } from "../state/cursor.js";
import { bodyPage, layoutOf, textColumns } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import { backToBrowse, type State } from "../state/state.js";
import { helpLines } from "../view/help-panel.js";

export function openHelp(state: State): Step {
  return step({ ...state, mode: { kind: "help", top: 0 } });
}

export function helpKey(state: State, top: number, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  if (name === "escape" || name === "q" || name === "?") return step(backToBrowse(state));
  const count = helpLines(commands, textColumns(layoutOf(state).body)).length;
  const next = scroll(top, count, bodyPage(state), name);
  return step(next === undefined ? state : { ...state, mode: { kind: "help", top: next } });
}
