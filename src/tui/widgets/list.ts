/** The line of the cursor and the first visible one. Both count from 0. */
export interface Position {
  readonly cursor: number;
  readonly top: number;
}

/**
 * Moves through `count` lines, of which `page` are visible. Returns `undefined`
 * if the key is not a movement.
 *
 * @param key the name of the key, or `line 12`
 */
export function moveCursor(
  { cursor, top }: Position,
  count: number,
  page: number,
  key: string,
): Position | undefined {
  const [, line] = /^line (\d+)$/.exec(key) ?? [];
  const by = line === undefined ? MOVE_OF_KEY.get(key)?.(page) : Number(line) - 1 - cursor;
  return by === undefined ? undefined : keepVisible({ cursor: cursor + by, top }, count, page);
}

/** The nearest position in a list of `count` lines whose cursor is visible. */
export function keepVisible(position: Position, count: number, page: number): Position {
  const cursor = clamp(position.cursor, count - 1);
  const minTop = Math.max(position.top, cursor - page + 1);
  return { cursor, top: clamp(Math.min(minTop, cursor), count - page) };
}

/** Scrolls a list, and keeps the cursor on a visible line. */
export function scrollList(
  { cursor, top }: Position,
  count: number,
  page: number,
  by: number,
): Position {
  const next = clamp(top + by, count - page);
  return { top: next, cursor: Math.max(next, clamp(cursor, Math.min(count, next + page) - 1)) };
}

/** Returns the first visible line. */
export function scrollBy(top: number, count: number, page: number, by: number): number {
  return clamp(top + by, count - page);
}

/** Returns the first visible line: `top`, if the key is not a movement. */
export function scrollByKey(top: number, count: number, page: number, key: string): number {
  const last = Math.max(0, count - page);
  return moveCursor({ cursor: Math.min(top, last), top }, last + 1, page, key)?.cursor ?? top;
}

/** The item `by` steps after `item`, cyclically. */
export function cycled<T>(items: readonly T[], item: T, by: number): T {
  return items.at((items.indexOf(item) + by) % items.length) as T;
}

function clamp(number: number, max: number): number {
  return Math.max(0, Math.min(number, max));
}

interface Move {
  readonly name: string;
  /** Names of keys, separated by spaces. */
  readonly keys: string;
  readonly help: string;
  /** The number of lines to move down. */
  readonly by: (page: number) => number;
}

export const MOVES: readonly Move[] = [
  { name: "up", keys: "up k", help: "up", by: () => -1 },
  { name: "down", keys: "down j", help: "down", by: () => 1 },
  { name: "page-up", keys: "pageup ctrl-b", help: "a page up", by: (page) => -page },
  { name: "page-down", keys: "pagedown ctrl-f", help: "a page down", by: (page) => page },
  { name: "half-page-up", keys: "ctrl-u", help: "half a page up", by: (page) => -half(page) },
  { name: "half-page-down", keys: "ctrl-d", help: "half a page down", by: half },
  { name: "top", keys: "home g", help: "to the first line", by: () => -Infinity },
  { name: "bottom", keys: "end G", help: "to the last line", by: () => Infinity },
];

function half(page: number): number {
  return Math.floor(page / 2);
}

const MOVE_OF_KEY = new Map(
  MOVES.flatMap(({ keys, by }) => keys.split(" ").map((key) => [key, by] as const)),
);
