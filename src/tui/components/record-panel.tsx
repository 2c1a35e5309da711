import type { Size } from "../state/layout.js";
import { recordLines } from "../state/record-lines.js";
import { selectedEntry } from "../state/selected-entry.js";
import type { State } from "../state/state.js";
import { textColumns } from "../state/text-columns.js";
import { visibleText } from "../text/visible-text.js";
import { Panel } from "./panel.js";
import { scrolledLines, scrolledText } from "./scrolled.js";

interface RecordPanelProps {
  readonly state: State;
  readonly size: Size;
}

/** All that is known of the variable that the cursor is on. */
export function RecordPanel({ state, size }: RecordPanelProps) {
  const lines = recordLines(state, textColumns(size));
  const page = size.height - 2;
  return (
    <Panel
      size={size}
      title={visibleText(selectedEntry(state)?.variable.name ?? "Variable")}
      footnote={scrolledText(lines.length, state.recordTop, page)}
      isFocused={state.focus === "record"}
      lines={scrolledLines(lines, state.recordTop, page)}
    />
  );
}
