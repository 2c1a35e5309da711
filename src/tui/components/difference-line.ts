import type { Difference, NamedValue } from "../../domain/diff.js";
import { isEncrypted, valueText } from "../../domain/variable.js";
import { isRevealed } from "../state/is-revealed.js";
import { MASK } from "../state/shown-value.js";
import type { Revealed } from "../state/state.js";
import { cellText } from "../text/cell-text.js";
import { fitText } from "../text/fit-line.js";
import type { Line, Span } from "../text/line.js";

interface DiffColumns {
  readonly name: number;
  readonly left: number;
  readonly right: number;
}

const SIGNS = {
  added: { text: "+ ", role: "success" },
  removed: { text: "- ", role: "danger" },
  changed: { text: "~ ", role: "warning" },
} as const;

const GAP = "  ";
const MOST_NAME = 40;

/** Shares the width of a list of differences among its cells. */
export function diffColumns(width: number): DiffColumns {
  const cells = width - 4 - 2 * GAP.length;
  const name = Math.min(MOST_NAME, Math.floor(cells * 0.4));
  const left = Math.floor((cells - name) / 2);
  return { name, left, right: cells - name - left };
}

export function diffHeading(columns: DiffColumns, left: string, right: string): Line {
  const cells = [fitText("NAME", columns.name), fitText(left, columns.left), fitText(right, columns.right)];
  return [{ text: `   ${cells.join(GAP)} `, role: "muted", isBold: true }];
}

/** One difference, its values masked unless they are revealed. */
export function differenceLine(
  { kind, name, before, after }: Difference,
  revealed: Revealed | undefined,
  isCursor: boolean,
  columns: DiffColumns,
): Line {
  const isShown = isRevealed(revealed, name);
  const hasTypes = before !== undefined && after !== undefined && before.type !== after.type;
  const spans: Line = [
    { text: isCursor ? "›" : " ", role: "accent" },
    SIGNS[kind],
    { text: cellText(name, columns.name) },
    { text: GAP },
    valueSpan(before, isShown, hasTypes, columns.left),
    { text: GAP },
    valueSpan(after, isShown, hasTypes, columns.right),
    { text: " " },
  ];
  return isCursor ? spans.map(({ text }) => ({ text, isBold: true, isInverse: true })) : spans;
}

function valueSpan(item: NamedValue | undefined, isShown: boolean, hasType: boolean, width: number): Span {
  if (!item) return { text: fitText("(not there)", width), role: "muted" };
  const text = !isShown ? MASK : isEncrypted(item.value) ? "(encrypted)" : valueText(item.value);
  return { text: cellText(hasType ? `${item.type} ${text}` : text, width), role: isShown ? "text" : "muted" };
}
