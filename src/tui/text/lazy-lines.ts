import type { Line } from "./line.js";

/**
 * Lines of which only the visible ones are made, as those of a long text take seconds. An item is one line of the screen,
 * or a few where characters are wide.
 */
export interface LazyLines {
  readonly count: number;
  /** @param index of an item, less than `count` */
  readonly at: (index: number) => readonly Line[];
}

export function madeLines(lines: readonly Line[]): LazyLines {
  return { count: lines.length, at: (index) => [lines[index] ?? []] };
}

/** Lines of several blocks, of which each has its number of items. */
export function joinedLines(blocks: readonly LazyLines[]): LazyLines {
  const starts = startsOf(blocks, ({ count }) => count);
  return {
    count: starts.at(-1) ?? 0,
    at: (index) => {
      const block = indexAt(starts, index);
      return blocks[block]?.at(index - (starts[block] as number)) ?? [];
    },
  };
}

/** Where each block starts, and where the last one ends. */
export function startsOf<T>(blocks: readonly T[], countOf: (block: T) => number): readonly number[] {
  const starts = [0];
  let end = 0;
  for (const block of blocks) {
    end += countOf(block);
    starts.push(end);
  }
  return starts;
}

/** The block that an item is in. */
export function indexAt(starts: readonly number[], index: number): number {
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] as number) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The visible part of lazy lines. */
export interface Window {
  /** The first visible item: `top`, or less if there are not enough lines from there on. */
  readonly top: number;
  /** Items that are visible as a whole, at least one. */
  readonly shown: number;
  /** The greatest `top`: from there on, all items fit. */
  readonly last: number;
  /** At most `page`. */
  readonly lines: readonly Line[];
}

/** @param page lines that are visible */
export function windowOf(all: LazyLines, top: number, page: number): Window {
  const last = lastTop(all, page);
  const from = Math.min(top, last);
  const lines: Line[] = [];
  let shown = 0;
  for (let index = from; index < all.count && lines.length < page; index++) {
    lines.push(...all.at(index));
    if (lines.length <= page) shown++;
  }
  return { top: from, shown: Math.max(1, shown), last, lines: lines.slice(0, page) };
}

function lastTop(all: LazyLines, page: number): number {
  let top = all.count;
  for (let left = page; top > 0; top--) {
    left -= all.at(top - 1).length;
    if (left < 0) break;
  }
  return Math.min(top, Math.max(0, all.count - 1));
}
