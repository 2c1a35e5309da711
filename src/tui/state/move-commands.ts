import type { Command } from "./command.js";
import { moveCursor } from "./cursor.js";
import { pageSize } from "./layout.js";
import { recordLineCount } from "./record-line-count.js";
import { decryptSelected } from "./reveal.js";
import { scroll } from "./scroll.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";

/** What moves in the panel that has the focus. */
export const MOVE_COMMANDS: readonly Command[] = [
  move("up", ["up", "k"], "up"),
  move("down", ["down", "j"], "down"),
  move("page-up", ["pageup", "ctrl-b"], "a page up"),
  move("page-down", ["pagedown", "ctrl-f"], "a page down"),
  move("half-page-up", ["ctrl-u"], "half a page up"),
  move("half-page-down", ["ctrl-d"], "half a page down"),
  move("top", ["home", "g"], "to the first"),
  move("bottom", ["end", "G"], "to the last"),
];

/** @param keys the first is what `moveCursor` knows it as */
function move(name: string, keys: readonly string[], help: string): Command {
  const [key = ""] = keys;
  return { name, keys, label: undefined, help, group: "Move", run: (state) => moveInPanel(state, key) };
}

function moveInPanel(state: State, key: string): Step {
  const page = pageSize(state, state.focus);
  switch (state.focus) {
    case "places": {
      const moved = moveCursor({ cursor: state.placeCursor, top: 0 }, state.places.length, page, key);
      return step(moved ? { ...state, placeCursor: moved.cursor } : state);
    }
    case "record":
      return step({
        ...state,
        recordTop: scroll(state.recordTop, recordLineCount(state), page, key) ?? state.recordTop,
      });
    case "variables":
      return moveInList(state, page, key);
  }
}

function moveInList(state: State, page: number, key: string): Step {
  const { list, recordTop } = state;
  const moved = moveCursor(list, list.rows.length, page, key);
  if (!moved) return step(state);
  const isSame = moved.cursor === list.cursor;
  return decryptSelected({ ...state, list: { ...list, ...moved }, recordTop: isSame ? recordTop : 0 });
}
