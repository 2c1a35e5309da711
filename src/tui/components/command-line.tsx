import type { Mode } from "../state/state.js";
import { fitLine, lineWidth } from "../text/fit-line.js";
import { type Line, line } from "../text/line.js";
import { textInput } from "../text/text-input.js";
import { textWidth } from "../text/text-width.js";
import { visibleText } from "../text/visible-text.js";
import { keyLine } from "./key-line.js";
import { modeKeys } from "./mode-keys.js";
import { TextLine } from "./text-lines.js";

interface CommandLineProps {
  readonly mode: Extract<Mode, { kind: "command" }>;
  readonly columns: number;
}

/** A command while it is typed, and behind it what is wrong with it or what it could be, or else the keys for it. */
export function CommandLine({ mode: { field, problem, choices }, columns }: CommandLineProps) {
  const keys = behind(problem, choices, columns);
  const room = columns - 2;
  // What is typed keeps what it needs; the problem is cut.
  const needed = Math.min(room, textWidth(visibleText(field.text)) + 1);
  const width = Math.max(needed, room - lineWidth(keys));
  return (
    <TextLine line={[{ text: " :", role: "accent" }, ...textInput(field, width), ...fitLine(keys, room - width)]} />
  );
}

function behind(problem: string | undefined, choices: string | undefined, columns: number): Line {
  if (problem !== undefined) return line(`  ✗ ${visibleText(problem)} `, "danger");
  return choices === undefined ? keyLine(modeKeys("command"), columns) : line(`  ${visibleText(choices)} `, "muted");
}
