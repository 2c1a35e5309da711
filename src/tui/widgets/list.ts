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
  position: Position,
  count: number,
  page: number,
  key: string,
): Position | undefined {
  const [, line] = /^line (\d+)$/.exec(key) ?? [];
  const cursor =
    line === undefined ? MOVE_OF_KEY.get(key)?.(position.cursor, page, count) : Number(line) - 1;
  return cursor === undefined ? undefined : keepVisible({ cursor, top: position.top }, count, page);
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
  readonly move: (cursor: number, page: number, count: number) => number;
}

const half = (page: number) => Math.floor(page / 2);

export const MOVES: readonly Move[] = [
  { name: "up", keys: "up k", help: "up", move: (cursor) => cursor - 1 },
  { name: "down", keys: "down j", help: "down", move: (cursor) => cursor + 1 },
  {
    name: "page-up",
    keys: "pageup ctrl-b",
    help: "a page up",
    move: (cursor, page) => cursor - page,
  },
  {
    name: "page-down",
    keys: "pagedown ctrl-f",
    help: "a page down",
    move: (cursor, page) => cursor + page,
  },
  {
    name: "half-page-up",
    keys: "ctrl-u",
    help: "half a page up",
    move: (cursor, page) => cursor - half(page),
  },
  {
    name: "half-page-down",
    keys: "ctrl-d",
    help: "half a page down",
    move: (cursor, page) => cursor + half(page),
  },
  { name: "top", keys: "home g", help: "to the first line", move: () => 0 },
  {
    name: "bottom",
    keys: "end G",
    help: "to the last line",
    move: (_cursor, _page, count) => count - 1,
  },
];

const MOVE_OF_KEY = new Map(
  MOVES.flatMap(({ keys, move }) => keys.split(" ").map((key) => [key, move] as const)),
);
