import { type Command, command } from "../state/command.js";
import { moveCursor, scroll } from "../state/cursor.js";
import { pageSize } from "../state/layout.js";
import { decryptSelected } from "../state/reveal.js";
import { type State, type Step, step } from "../state/state.js";
import { recordLineCount } from "../view/record-panel.js";

export const MOVE_COMMANDS: readonly Command[] = [
  move("up", "up k", "up"),
  move("down", "down j", "down"),
  move("page-up", "pageup ctrl-b", "a page up"),
  move("page-down", "pagedown ctrl-f", "a page down"),
  move("half-page-up", "ctrl-u", "half a page up"),
  move("half-page-down", "ctrl-d", "half a page down"),
  move("top", "home g", "to the first line"),
  move("bottom", "end G", "to the last line"),
];

/** @param keys the first is passed to `moveCursor` */
function move(name: string, keys: string, help: string): Command {
  const [key = ""] = keys.split(" ");
  return command("Move", name, keys, help, { run: (state) => moveInPanel(state, key) });
}

function moveInPanel(state: State, key: string): Step {
  const { focus, places, placeCursor, recordTop } = state;
  const page = pageSize(state, focus);
  switch (focus) {
    case "places": {
      const moved = moveCursor({ cursor: placeCursor, top: 0 }, places.length, page, key);
      return step(moved ? { ...state, placeCursor: moved.cursor } : state);
    }
    case "record":
      return step({ ...state, recordTop: scroll(recordTop, recordLineCount(state), page, key) ?? recordTop });
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
