/** The position in a list: the line of the cursor, and the first visible line. Both count from 0. */
export interface Position {
  readonly cursor: number;
  readonly top: number;
}

/** Moves through a list of `count` lines, of which `page` are visible; undefined if the key isn't one of movement. */
export function moveCursor(position: Position, count: number, page: number, key: string): Position | undefined {
  const cursor = MOVES[key]?.(position.cursor, page, count);
  return cursor === undefined ? undefined : keepVisible({ cursor, top: position.top }, count, page);
}

/** The nearest position in a list of `count` lines that has its cursor on a visible line. */
export function keepVisible(position: Position, count: number, page: number): Position {
  const cursor = clamp(position.cursor, count - 1);
  const minTop = Math.max(position.top, cursor - page + 1);
  return { cursor, top: clamp(Math.min(minTop, cursor), count - page) };
}

/** The first visible line of a text after a key; undefined if the key isn't one of movement. */
export function scroll(top: number, count: number, page: number, key: string): number | undefined {
  const last = Math.max(0, count - page);
  return moveCursor({ cursor: Math.min(top, last), top }, last + 1, page, key)?.cursor;
}

function clamp(number: number, max: number): number {
  return Math.max(0, Math.min(number, max));
}

type Move = (cursor: number, page: number, count: number) => number;

const up: Move = (cursor) => cursor - 1;
const down: Move = (cursor) => cursor + 1;
const pageUp: Move = (cursor, page) => cursor - page;
const pageDown: Move = (cursor, page) => cursor + page;
const toFirst: Move = () => 0;
const toLast: Move = (_cursor, _page, count) => count - 1;

const MOVES: Readonly<Record<string, Move>> = {
  up,
  k: up,
  down,
  j: down,
  pageup: pageUp,
  "ctrl-b": pageUp,
  pagedown: pageDown,
  "ctrl-f": pageDown,
  "ctrl-u": (cursor, page) => cursor - Math.max(1, Math.floor(page / 2)),
  "ctrl-d": (cursor, page) => cursor + Math.max(1, Math.floor(page / 2)),
  home: toFirst,
  g: toFirst,
  end: toLast,
  G: toLast,
};
