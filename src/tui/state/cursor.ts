/** Where a list stands: the line that the cursor is on, and the first line that is seen. Both count from 0. */
export interface Position {
  readonly cursor: number;
  readonly top: number;
}

/**
 * Moves through a list of `count` lines, of which `page` are seen, and keeps the cursor in view.
 *
 * @returns undefined for a key that moves nothing in any list
 */
export function moveCursor(position: Position, count: number, page: number, key: string): Position | undefined {
  const cursor = target(position.cursor, count, page, key);
  return cursor === undefined ? undefined : inView({ cursor, top: position.top }, count, page);
}

/** The same place as near as it gets in a list of `count` lines: on a line that there is, and with the cursor seen. */
export function inView(position: Position, count: number, page: number): Position {
  const cursor = clamp(position.cursor, count - 1);
  const least = Math.max(position.top, cursor - page + 1);
  return { cursor, top: clamp(Math.min(least, cursor), count - page) };
}

/** The number, but neither below 0 nor above `most`. */
function clamp(number: number, most: number): number {
  return Math.max(0, Math.min(number, most));
}

function target(cursor: number, count: number, page: number, key: string): number | undefined {
  const half = Math.max(1, Math.floor(page / 2));
  switch (key) {
    case "up":
    case "k":
      return cursor - 1;
    case "down":
    case "j":
      return cursor + 1;
    case "pageup":
    case "ctrl-b":
      return cursor - page;
    case "pagedown":
    case "ctrl-f":
      return cursor + page;
    case "ctrl-u":
      return cursor - half;
    case "ctrl-d":
      return cursor + half;
    case "home":
    case "g":
      return 0;
    case "end":
    case "G":
      return count - 1;
    default:
      return undefined;
  }
}
