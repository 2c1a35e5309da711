/** An action of the mouse, at a cell of the screen that counts from 0. */
export interface Mouse {
  readonly action: "press" | "wheel-up" | "wheel-down";
  readonly column: number;
  readonly row: number;
}

/** A press, for telling a double click. */
export interface Press extends Mouse {
  /** Milliseconds on a monotonic clock. */
  readonly at: number;
  /** The kind of the mode in which it was made. */
  readonly mode: string;
}

const DOUBLE_CLICK_MS = 400;

/** Whether a press follows another one on the same cell quickly. */
export function isDouble(first: Press | undefined, second: Press): boolean {
  return (
    first !== undefined &&
    second.at - first.at <= DOUBLE_CLICK_MS &&
    first.column === second.column &&
    first.row === second.row
  );
}
