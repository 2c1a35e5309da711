import type { Command } from "../state/command.js";
import type { Confirmation, Notice, State } from "../state/state.js";
import { cellText } from "../text/cell-text.js";
import { type Line, line } from "../text/line.js";
import { CommandLine } from "./command-line.js";
import { FilterLine } from "./filter-line.js";
import { keyLine } from "./key-line.js";
import { ALWAYS, browseKeys, confirmKeys, modeKeys } from "./mode-keys.js";
import { TextLine } from "./text-lines.js";

interface FooterProps {
  readonly state: State;
  readonly commands: readonly Command[];
}

/** The last line: what is being typed, what has happened, or else the keys that work now. */
export function Footer({ state, commands }: FooterProps) {
  const { mode, notice, columns } = state;
  if (mode.kind === "filter") return <FilterLine state={state} field={mode.field} />;
  if (mode.kind === "command") return <CommandLine mode={mode} columns={columns} />;
  if (notice) return <TextLine line={noticeLine(notice, columns)} />;
  if (mode.kind === "confirm") return <TextLine line={answerLine(mode, columns)} />;
  if (mode.kind !== "browse") {
    const keys = modeKeys(mode.kind);
    // How to get out again, which is the last, is what has to be there.
    return <TextLine line={keyLine(keys.slice(0, -1), columns, keys.slice(-1))} />;
  }
  return <TextLine line={keyLine(browseKeys(state, commands), columns, ALWAYS)} />;
}

function answerLine(confirmation: Confirmation, columns: number): Line {
  return confirmation.isBusy ? line(" writing…", "muted") : keyLine(confirmKeys(confirmation), columns);
}

const TONES = {
  info: { sign: "·", role: "accent" },
  success: { sign: "✓", role: "success" },
  error: { sign: "✗", role: "danger" },
} as const;

function noticeLine({ text, tone }: Notice, columns: number): Line {
  const { sign, role } = TONES[tone];
  return [
    { text: ` ${sign} `, role, isBold: true },
    { text: cellText(text, columns - 3), role },
  ];
}
