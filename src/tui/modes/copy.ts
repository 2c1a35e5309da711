import type { VariableEntry } from "../../domain/source.js";
import { targetEntries } from "../browse/targets.js";
import { commandKeyName, type Key } from "../input/key.js";
import { COPY_ITEMS, type CopyFormat, type CopyItem } from "../state/copy-formats.js";
import { moveCursor } from "../state/cursor.js";
import { bodyPage } from "../state/layout.js";
import { type Step, step } from "../state/messages.js";
import type { CopyMode } from "../state/modes.js";
import type { State } from "../state/state.js";

export function copySelected(state: State, format: CopyFormat): Step {
  return copyEntries(state, targetEntries(state), format);
}

export function copyAll(state: State, format: CopyFormat): Step {
  return copyEntries(state, state.loaded.entries, format);
}

/** Opens the menu of formats. */
export function openCopy(state: State, entries = targetEntries(state)): Step {
  return step({ ...state, mode: { kind: "copy", entries, cursor: 0, back: state.mode } });
}

export function copyKey(state: State, mode: CopyMode, key: Key): Step {
  const name = commandKeyName(key);
  const { entries, cursor, back } = mode;
  const returned: State = { ...state, mode: back };
  if (name === "escape" || name === "q") return step(returned);
  const item = COPY_ITEMS[cursor];
  if (name === "enter" && item) return copyItem(returned, entries, item);
  const moved = moveCursor({ cursor, top: 0 }, COPY_ITEMS.length, bodyPage(state), name);
  return step(moved ? { ...state, mode: { ...mode, cursor: moved.cursor } } : state);
}

function copyItem(state: State, entries: readonly VariableEntry[], { format, isAll }: CopyItem): Step {
  return isAll ? copyAll(state, format) : copyEntries(state, entries, format);
}

function copyEntries(state: State, entries: readonly VariableEntry[], format: CopyFormat): Step {
  return step(state, { type: "copy", place: state.place, entries, format });
}
