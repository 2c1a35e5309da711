import { moveCursor } from "./cursor.js";

/**
 * The first line that is seen of a text of `count` lines after a key of movement.
 *
 * @returns undefined for a key that moves nothing
 */
export function scroll(top: number, count: number, page: number, key: string): number | undefined {
  const last = Math.max(0, count - page);
  return moveCursor({ cursor: Math.min(top, last), top }, last + 1, page, key)?.cursor;
}
