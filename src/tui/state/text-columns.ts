import type { Size } from "./layout.js";

/** Columns for text in a panel: all but its border and a space on either side. */
export function textColumns({ width }: Pick<Size, "width">): number {
  return Math.max(1, width - 4);
}
