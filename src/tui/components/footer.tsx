import type { Command } from "../state/command.js";
import type { Notice, State } from "../state/state.js";
import { cellText } from "../text/cell-text.js";
import type { Line } from "../text/line.js";
import { CommandLine } from "./command-line.js";
import { FilterLine } from "./filter-line.js";
import { keyLine } from "./key-line.js";
import { ALWAYS, browseKeys, modeKeys } from "./mode-keys.js";
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
  if (mode.kind === "confirm" && mode.isBusy) return <TextLine line={[{ text: " writing…", role: "muted" }]} />;
  if (mode.kind !== "browse") return <TextLine line={keyLine(modeKeys(mode.kind), columns)} />;
  return <TextLine line={keyLine(browseKeys(state, commands), columns, ALWAYS)} />;
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
