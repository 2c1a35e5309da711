import { cursorInView } from "../browse/list.js";
import { decryptSelected } from "../browse/reveal.js";
import type { Key } from "../input/key.js";
import { isDouble, type Mouse, type Press } from "../input/mouse.js";
import { pointedAt } from "../screen/pointed.js";
import type { Command } from "../state/command.js";
import type { Step } from "../state/messages.js";
import { step } from "../state/messages.js";
import type { State } from "../state/state.js";
import type { PanelContent } from "../view/panel-content.js";

type PressKey = (state: State, key: Key) => Step;

/** Lines that the wheel moves in one notch. */
const WHEEL_LINES = 3;

/** Handles a press or the wheel: where the mouse is decides, not the focus. */
export function handleMouse(
  state: State,
  mouse: Mouse,
  now: number,
  commands: readonly Command[],
  pressKey: PressKey,
): Step {
  const { content, cell, key } = pointedAt(state, commands, mouse.column, mouse.row);
  if (mouse.action !== "press") return turnWheel(state, content, mouse.action === "wheel-up" ? -1 : 1, pressKey);
  const press: Press = { ...mouse, at: now, mode: state.mode.kind };
  const { lastPress } = state;
  const isSecond = isDouble(lastPress, press);
  // The target of the first press is gone: this press was not meant for its successor.
  if (isSecond && lastPress?.mode !== press.mode) return step(state);
  const next: State = { ...state, lastPress: press };
  if (key !== undefined) return pressKey(next, namedKey(key));
  const focused = content && focus(next, content);
  const selected = focused && cell && content.select?.(focused, cell);
  if (!selected) return step(cursorInView(focused ?? next));
  // Of the first press's selection: the rows may have moved since.
  if (!isSecond || content.pressesEnter === false) return decryptSelected(selected);
  const chosen: State = { ...focused, lastPress: undefined };
  // Its key can be another one.
  const open = chosen.mode.kind === "browse" && commands.find(({ name }) => name === "open");
  return open ? open.run(chosen, "") : pressKey(chosen, namedKey("enter"));
}

/** The panel gets the focus. Undefined if a question is open, which must be answered first. */
function focus(state: State, { panel }: PanelContent): State | undefined {
  if (panel === undefined) return state;
  const { kind } = state.mode;
  if (kind !== "browse" && kind !== "filter" && kind !== "command") return undefined;
  return { ...state, focus: panel, mode: { kind: "browse" } };
}

function turnWheel(state: State, content: PanelContent | undefined, by: 1 | -1, pressKey: PressKey): Step {
  if (content?.scroll) return decryptSelected(content.scroll(state, by * WHEEL_LINES));
  // A panel beside a question is not its text.
  if (!content || content.panel) return step(state);
  let next = step(state);
  for (let line = 0; line < WHEEL_LINES; line++) {
    const [pressed, effects] = pressKey(next[0], namedKey(by < 0 ? "up" : "down"));
    next = [pressed, [...next[1], ...effects]];
  }
  return next;
}

function namedKey(name: string): Key {
  return { name, text: name.length === 1 ? name : "" };
}
