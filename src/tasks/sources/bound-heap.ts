import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of a heap that is left as it is. */
const SMALL_HEAP = 16 * 1_048_576;
/**
 * How much the heap may grow before it is collected, in percent. By default V8 lets it double and
 * more.
 */
const GROWTH_PERCENT = 30;

let collectGarbage: (() => void) | undefined;

/**
 * Keeps the memory of this process small. To be called when something large has been read, such as
 * the text of a file, before as much is made of it.
 */
export function boundHeap(): void {
  if (getHeapStatistics().used_heap_size < SMALL_HEAP) return;
  if (!collectGarbage) {
    setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
    setFlagsFromString("--expose-gc");
    collectGarbage = runInNewContext("gc") as () => void;
  }
  collectGarbage();
}
