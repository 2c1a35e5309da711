import type { Command } from "../state/command.js";
import { helpLines } from "../state/help-lines.js";
import type { Size } from "../state/layout.js";
import { textColumns } from "../state/text-columns.js";
import { Panel } from "./panel.js";
import { scrolledLines, scrolledText } from "./scrolled.js";

interface HelpPanelProps {
  readonly commands: readonly Command[];
  readonly size: Size;
  /** First line that is seen. */
  readonly top: number;
}

/** What each command does. */
export function HelpPanel({ commands, size, top }: HelpPanelProps) {
  const lines = helpLines(commands, textColumns(size));
  const page = size.height - 2;
  return (
    <Panel
      size={size}
      title="Help"
      footnote={scrolledText(lines.length, top, page)}
      isFocused={true}
      lines={scrolledLines(lines, top, page)}
    />
  );
}
