import { onTestFinished, vi } from "vitest";

const MILLISECONDS = 86_400_000;

/** Options of a server whose answers are held for a day, see {@link holdLatency}. */
export const HELD = { faults: { latency: { least: MILLISECONDS, most: MILLISECONDS } } };

/**
 * Holds the answers of servers until the test ends. `held` has a function for each, which releases
 * it; `releaseAll` also lets later ones pass.
 */
export function holdLatency() {
  const held: (() => void)[] = [];
  let isHolding = true;
  const { setTimeout } = globalThis;
  const hold = (work: () => void, milliseconds?: number) => {
    if (milliseconds !== MILLISECONDS) return setTimeout(work, milliseconds);
    if (!isHolding) return setTimeout(work, 0);
    held.push(work);
    return setTimeout(() => {}, 0);
  };
  const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(hold as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
  const releaseAll = () => {
    isHolding = false;
    for (const release of held) release();
  };
  return { held, releaseAll };
}
