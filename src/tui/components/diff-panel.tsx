import type { Size } from "../state/layout.js";
import type { Comparison, State } from "../state/state.js";
import { textColumns } from "../state/text-columns.js";
import { countText } from "../text/count-text.js";
import { type Line, line } from "../text/line.js";
import { visibleText } from "../text/visible-text.js";
import { wrapWords } from "../text/wrap-line.js";
import { diffColumns, differenceLine, diffHeading } from "./difference-line.js";
import { Panel } from "./panel.js";

interface DiffPanelProps {
  readonly state: State;
  readonly mode: Comparison;
  readonly size: Size;
}

/** How the open place and another differ, side by side. Only the differences that are seen are looked at. */
export function DiffPanel({ state, mode, size }: DiffPanelProps) {
  const [left, right] = [placeName(state, state.place), placeName(state, mode.place)];
  const count = mode.differences.length;
  const hasList = mode.phase === "ready" && count > 0;
  return (
    <Panel
      size={size}
      title={`${left} → ${right}${hasList ? `  ${countText(mode.cursor + 1)}/${countText(count)}` : ""}`}
      footnote={hasList ? "+ only there   - only here   ~ differs" : undefined}
      isFocused={true}
      lines={hasList ? rows(state, mode, size, left, right) : statusLines(mode, right, textColumns(size))}
    />
  );
}

function rows(state: State, mode: Comparison, { width, height }: Size, left: string, right: string): Line[] {
  const columns = diffColumns(width - 2);
  const seen = mode.differences.slice(mode.top, mode.top + Math.max(0, height - 3));
  return [
    diffHeading(columns, left, right),
    ...seen.map((each, index) => differenceLine(each, state.revealed, mode.top + index === mode.cursor, columns)),
  ];
}

function statusLines({ phase, failure }: Comparison, other: string, width: number): Line[] {
  const [text, role] =
    phase === "loading"
      ? ([`reading ${other}…`, "muted"] as const)
      : phase === "failed"
        ? ([`✗ ${visibleText(failure?.message ?? `${other} can't be read`)}`, "danger"] as const)
        : (["✓ no differences", "success"] as const);
  return [[], ...wrapWords(text, width).map((each) => [{ text: " " }, ...line(each, role)])];
}

function placeName({ places }: State, index: number): string {
  return visibleText(places[index]?.name ?? "");
}
