import type { Size } from "./layout.js";

/** The list of differences, and below it both values of the one under the cursor. */
export function diffSizes({ width, height }: Size): { readonly list: Size; readonly detail: Size } {
  const detail = Math.max(5, Math.floor(height * 0.4));
  return { list: { width, height: height - detail }, detail: { width, height: detail } };
}
