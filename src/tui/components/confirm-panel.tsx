import { confirmLines, refusalLines } from "../state/confirm-lines.js";
import type { Size } from "../state/layout.js";
import type { Confirmation, State } from "../state/state.js";
import { textColumns } from "../state/text-columns.js";
import { type Line, line } from "../text/line.js";
import { keyLine } from "./key-line.js";
import { confirmKeys } from "./mode-keys.js";
import { Panel } from "./panel.js";
import { scrolledLines, scrolledText } from "./scrolled.js";

interface ConfirmPanelProps {
  readonly state: State;
  readonly mode: Confirmation;
  readonly size: Size;
}

const TITLES = { add: "Add", edit: "Change", delete: "Delete", undo: "Undo" } as const;

/** What an edit will do, for a yes or a no. */
export function ConfirmPanel({ state, mode, size }: ConfirmPanelProps) {
  const width = textColumns(size);
  const lines = confirmLines(state, mode, width);
  const end = [...refusalLines(mode, width), keysLine(mode, width)];
  const page = Math.max(1, size.height - 2 - end.length);
  return (
    <Panel
      size={size}
      title={TITLES[mode.purpose]}
      footnote={scrolledText(lines.length, mode.top, page)}
      isFocused={true}
      lines={[...scrolledLines(lines, mode.top, page), ...scrolledLines(end, 0, end.length)]}
    />
  );
}

function keysLine(confirmation: Confirmation, width: number): Line {
  return confirmation.isBusy ? line("writing…", "muted") : keyLine(confirmKeys(confirmation), width).slice(1);
}
