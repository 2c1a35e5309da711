import type { PlaceInfo } from "../state/state.js";
import { cellText } from "../text/cell-text.js";
import type { Line } from "../text/line.js";

interface PlaceLook {
  readonly isCursor: boolean;
  readonly isOpen: boolean;
  readonly isFocused: boolean;
}

/** Columns from which on there is room for where it is. */
const WIDE = 50;

/** A place in exactly `width` columns: `›● shop/development`. */
export function placeLine(
  { name, detail }: PlaceInfo,
  { isCursor, isOpen, isFocused }: PlaceLook,
  width: number,
): Line {
  const isInverse = isCursor && isFocused;
  const look = { ...(isCursor && { isBold: true }), ...(isInverse && { isInverse }) };
  const nameWidth = width < WIDE ? width - 4 : Math.min(40, Math.floor(width / 2));
  const role = isOpen && !isInverse ? "accent" : "text";
  return [
    { text: `${isCursor ? "›" : " "}${isOpen ? "●" : " "} `, role, ...look },
    { text: cellText(name, nameWidth), role, ...look },
    ...(width < WIDE
      ? []
      : [
          {
            text: `  ${cellText(detail, width - nameWidth - 6)}`,
            ...(!isInverse && { role: "muted" as const }),
            ...look,
          },
        ]),
    { text: " ", ...look },
  ];
}
