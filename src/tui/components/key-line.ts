import type { Line } from "../text/line.js";
import { textWidth } from "../text/text-width.js";
import type { KeyHint } from "./mode-keys.js";

const GAP = "  ";

/** `y add  n back`: as many as fit into `width` columns, and before all others those of `last`, which come last. */
export function keyLine(hints: readonly KeyHint[], width: number, last: readonly KeyHint[] = []): Line {
  let left = width - last.reduce((sum, hint) => sum + widthOf(hint), 0);
  const fitting = hints.filter((hint) => {
    left -= widthOf(hint);
    return left >= 0;
  });
  return [...fitting, ...last].flatMap(
    ({ key, label }): Line => [
      { text: GAP.slice(1) },
      { text: key, role: "accent" },
      { text: ` ${label}${GAP.slice(1)}`, role: "muted" },
    ],
  );
}

function widthOf({ key, label }: KeyHint): number {
  return textWidth(key) + textWidth(label) + 1 + GAP.length;
}
