import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * How much the heap may grow before it is cleared up, in percent of what is in use. By default V8 lets it double and
 * more, for programs that have a machine to themselves.
 */
const GROWTH_PERCENT = 30;

/**
 * Has this process keep its memory small, at some cost in time. To be called when what is large has been read: the
 * text of a file, twice its size, would stay for as long as V8 finds room.
 */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  collectGarbage();
}
