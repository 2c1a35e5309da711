import type { Size } from "../state/layout.js";
import { emptyListLines, problemLine, progressText } from "../state/list-status.js";
import type { State } from "../state/state.js";
import { textColumns } from "../state/text-columns.js";
import { countText } from "../text/count-text.js";
import { fitLine } from "../text/fit-line.js";
import type { Line } from "../text/line.js";
import { visibleText } from "../text/visible-text.js";
import { Panel } from "./panel.js";
import { headingLine, listColumns, variableLine } from "./variable-line.js";

interface VariablesPanelProps {
  readonly state: State;
  readonly size: Size;
}

/** The list in the middle: only what is seen of it is looked at. */
export function VariablesPanel({ state, size }: VariablesPanelProps) {
  const progress = progressText(state);
  return (
    <Panel
      size={size}
      title={title(state)}
      footnote={progress === undefined || state.list.rows.length === 0 ? undefined : `reading… ${progress}`.trimEnd()}
      isFocused={state.focus === "variables"}
      lines={state.list.rows.length === 0 ? emptyLines(state, size) : listLines(state, size)}
    />
  );
}

function title({ list, loaded }: State): string {
  const count = list.rows.length > 0 ? ` ${countText(list.cursor + 1)}/${countText(list.rows.length)}` : "";
  const filter = list.filter !== "" && loaded.entries.length > 0 ? `  /${visibleText(list.filter)}` : "";
  return `Variables${count}${filter}`;
}

function emptyLines(state: State, size: Size): Line[] {
  const lines = emptyListLines(state, textColumns(size));
  const problem = state.loaded.isComplete ? problemLine(state) : undefined;
  return [problem ? headLine(problem, size) : [], ...lines.map((line) => [{ text: " " }, ...line])];
}

function headLine(problem: Line, { width }: Size): Line {
  return fitLine([{ text: " " }, ...problem], width - 3);
}

function listLines(state: State, size: Size): Line[] {
  const { width, height } = size;
  const { rows, top } = state.list;
  const columns = listColumns(width - 2);
  const problem = problemLine(state);
  // In the place of the heading, so that the rows stay where they are.
  const head = problem ? headLine(problem, size) : headingLine(columns, state.list.sort);
  const seen = rows.slice(top, top + Math.max(0, height - 3));
  const lines = seen.map((entryIndex, index) => variableLine(state, entryIndex, top + index, columns));
  return [head, ...lines];
}
