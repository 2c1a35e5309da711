import { textField } from "../input/text-field.js";
import type { Command } from "../state/command.js";
import type { CommandLine } from "../state/modes.js";
import type { State } from "../state/state.js";

const MAX_LINES = 100;

/** Adds a line that is run. Text that can be anything, such as a pasted secret, is left out. */
export function remember(state: State, command: Command, argument: string): State {
  const isKnown = () =>
    command
      .choices?.(state, argument)
      .some((choice) => argument === (typeof choice === "string" ? choice : choice.text));
  if (argument !== "" && command.accepts !== "path" && !isKnown()) return state;
  const line = `${command.name} ${argument}`.trimEnd();
  const others = state.commandHistory.filter((each) => each !== line);
  return { ...state, commandHistory: [...others, line].slice(-MAX_LINES) };
}

/** Whether an arrow key goes through the history: from an empty line up, and on from there. */
export function isRecalling({ field, recalled, chosen }: CommandLine, key: "up" | "down"): boolean {
  return chosen === undefined && (recalled !== undefined || (key === "up" && field.text === ""));
}

const STEPS: Readonly<Record<string, number>> = { up: -1, "ctrl-p": -1, down: 1, "ctrl-n": 1 };

/** The line with an older or newer one of the history; empty after the newest. Undefined for other keys. */
export function recall(history: readonly string[], line: CommandLine, key: string): CommandLine | undefined {
  const by = STEPS[key];
  if (by === undefined) return undefined;
  const index = Math.max(0, (line.recalled ?? history.length) + by);
  if (index > history.length || history.length === 0) return line;
  const text = history[index] ?? "";
  return { kind: "command", field: textField(text), query: text, recalled: index < history.length ? index : undefined };
}
