import { Box } from "ink";
import type { Difference, NamedValue } from "../../domain/diff.js";
import type { Assigned } from "../ports.js";
import { diffSizes } from "../state/diff-sizes.js";
import { editLines } from "../state/edit-lines.js";
import { refusalText } from "../state/failure-text.js";
import { isRevealed } from "../state/is-revealed.js";
import type { Size } from "../state/layout.js";
import type { Comparison, State } from "../state/state.js";
import { textColumns } from "../state/text-columns.js";
import { countText } from "../text/count-text.js";
import { type Line, line } from "../text/line.js";
import { visibleText } from "../text/visible-text.js";
import { wrapLine, wrapWords } from "../text/wrap-line.js";
import type { Role } from "../theme.js";
import { diffColumns, differenceLine, diffHeading } from "./difference-line.js";
import { Panel } from "./panel.js";

interface DiffPanelProps {
  readonly state: State;
  readonly mode: Comparison;
  readonly size: Size;
}

/** How the open place and another differ, side by side, and below that both values of one in full. */
export function DiffPanel({ state, mode, size }: DiffPanelProps) {
  const { list, detail } = diffSizes(size);
  const selected = mode.phase === "ready" ? mode.differences[mode.cursor] : undefined;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <DifferenceList state={state} mode={mode} size={list} />
      <Panel
        size={detail}
        title={visibleText(selected?.name ?? "Variable")}
        isFocused={false}
        lines={selected ? detailLines(selected, state, textColumns(detail)) : []}
      />
    </Box>
  );
}

/** Only the differences that are seen are looked at. */
function DifferenceList({ state, mode, size }: DiffPanelProps) {
  const [left, right] = [placeName(state, state.place), placeName(state, mode.place)];
  const count = mode.differences.length;
  const hasList = mode.phase === "ready" && count > 0;
  return (
    <Panel
      size={size}
      title={`${left} → ${right}${hasList ? `  ${countText(mode.cursor + 1)}/${countText(count)}` : ""}`}
      footnote={hasList ? "+ only there   - only here   ~ differs" : undefined}
      isFocused={true}
      lines={hasList ? rows(state, mode, size, left, right) : statusLines(state, mode, right, textColumns(size))}
    />
  );
}

function detailLines({ name, before, after }: Difference, { revealed }: State, width: number): Line[] {
  const edit = { name, before: before && withoutDescription(before), after: after && withoutDescription(after) };
  const lines = editLines({ edit, isRevealed: isRevealed(revealed, name) });
  return lines.flatMap((each) => wrapLine(each, width)).map((each) => [{ text: " " }, ...each]);
}

/** Descriptions are the application's, not the environment's. */
function withoutDescription({ type, value }: NamedValue): Assigned {
  return { type, value, description: "" };
}

function rows(state: State, mode: Comparison, { width, height }: Size, left: string, right: string): Line[] {
  const columns = diffColumns(width - 2);
  const seen = mode.differences.slice(mode.top, mode.top + Math.max(0, height - 3));
  return [
    diffHeading(columns, left, right),
    ...seen.map((each, index) => differenceLine(each, state.revealed, mode.top + index === mode.cursor, columns)),
  ];
}

function statusLines(state: State, mode: Comparison, other: string, width: number): Line[] {
  return [[], ...statusTexts(state, mode, other, width).map((each) => [{ text: " " }, ...each])];
}

function statusTexts({ places }: State, { phase, failure, place }: Comparison, other: string, width: number): Line[] {
  const wrapped = (text: string, role: Role) => wrapWords(text, width).map((each) => line(each, role));
  if (phase === "loading") return wrapped(`reading ${other}…`, "muted");
  if (phase === "ready") return wrapped("✓ no differences", "success");
  const { what, advice } = refusalText(places[place], failure ?? { code: "", message: `${other} can't be read` });
  return [
    ...wrapped(`✗ ${visibleText(what)}`, "danger"),
    ...[...advice, "r tries again"].flatMap((text) => wrapped(visibleText(text), "muted")),
  ];
}

function placeName({ places }: State, index: number): string {
  return visibleText(places[index]?.name ?? "");
}
