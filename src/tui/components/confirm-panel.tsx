import type { Size } from "../state/layout.js";
import type { Confirmation, State } from "../state/state.js";
import { textColumns } from "../state/text-columns.js";
import { fitLine } from "../text/fit-line.js";
import { type Line, line } from "../text/line.js";
import { visibleText } from "../text/visible-text.js";
import { wrapWords } from "../text/wrap-line.js";
import { editLines } from "./edit-lines.js";
import { keyLine } from "./key-line.js";
import { confirmKeys } from "./mode-keys.js";
import { Panel } from "./panel.js";

interface ConfirmPanelProps {
  readonly state: State;
  readonly mode: Confirmation;
  readonly size: Size;
}

const TITLES = { add: "Add", edit: "Change", delete: "Delete", undo: "Undo" } as const;

/** What an edit will do, for a yes or a no. */
export function ConfirmPanel({ state, mode, size }: ConfirmPanelProps) {
  const width = textColumns(size);
  const question = wrapWords(questionText(state, mode), width).map((text) => line(text, "accent"));
  const end = endLines(mode, width);
  const room = Math.max(1, size.height - 2 - question.length - end.length - 1);
  const lines = [...question, [], ...cut(editLines(mode), room), ...end];
  return (
    <Panel
      size={size}
      title={TITLES[mode.purpose]}
      isFocused={true}
      lines={lines.map((each) => [{ text: " " }, ...fitLine(each, width)])}
    />
  );
}

function questionText({ places, place }: State, { purpose, edit }: Confirmation): string {
  const where = visibleText(places[place]?.name ?? "");
  const name = visibleText(edit.name);
  switch (purpose) {
    case "add":
      return `add ${name} to ${where}?`;
    case "edit":
      return `change ${name} in ${where}?`;
    case "delete":
      return `delete ${name} from ${where}?`;
    case "undo":
      return `undo the last edit of ${name} in ${where}?`;
  }
}

function endLines(confirmation: Confirmation, width: number): Line[] {
  const { problem, isBusy } = confirmation;
  const told = problem === undefined ? [] : wrapWords(`✗ ${visibleText(problem)}`, width);
  const keys: Line = isBusy ? line("writing…", "muted") : keyLine(confirmKeys(confirmation), width).slice(1);
  return [[], ...told.map((text) => line(text, "danger")), keys];
}

function cut(lines: readonly Line[], room: number): readonly Line[] {
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), line(`… ${lines.length - room + 1} more lines`, "muted")];
}
