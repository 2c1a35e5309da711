import type { Command } from "./commands.js";
import { moveCursor } from "./cursor.js";
import { withFilter } from "./find-commands.js";
import { pageSize } from "./layout.js";
import type { Key } from "./message.js";
import { tell } from "./notices.js";
import { recordLineCount } from "./record-line-count.js";
import { decryptSelected } from "./reveal.js";
import { scroll } from "./scroll.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";
import { commandKeyName } from "./typed.js";

/** A key where nothing is being typed: a movement in the panel that has the focus, or a command. */
export function browseKey(state: State, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  const moved = moveInPanel(state, name);
  if (moved) return moved;
  const command = commands.find(({ keys }) => keys.includes(name));
  if (command) return runCommand(state, command);
  if (name === "escape") return step(goBack(state));
  return step(state);
}

/** Runs it, or tells why it can't be done. */
export function runCommand(state: State, command: Command, argument = ""): Step {
  const reason = command.whyNot?.(state);
  return reason === undefined ? command.run(state, argument) : step(tell(state, reason, "error"));
}

/** Away with what narrows the view: the filter first. */
function goBack(state: State): State {
  if (state.focus !== "variables") return { ...state, focus: "variables", placeCursor: state.place };
  return state.list.filter === "" ? { ...state, notice: undefined } : withFilter(state, "");
}

function moveInPanel(state: State, key: string): Step | undefined {
  const page = pageSize(state, state.focus);
  if (state.focus === "places") {
    const moved = moveCursor({ cursor: state.placeCursor, top: 0 }, state.places.length, page, key);
    return moved && step({ ...state, placeCursor: moved.cursor });
  }
  if (state.focus === "record") {
    const top = scroll(state.recordTop, recordLineCount(state), page, key);
    return top === undefined ? undefined : step({ ...state, recordTop: top });
  }
  const moved = moveCursor(state.list, state.list.rows.length, page, key);
  if (!moved) return undefined;
  const isSame = moved.cursor === state.list.cursor;
  return decryptSelected({ ...state, list: { ...state.list, ...moved }, recordTop: isSame ? state.recordTop : 0 });
}
