import { expect, it, onTestFinished, vi } from "vitest";
import { processIo } from "../../src/cli/process-io.js";

it("Ctrl-Break, which only Windows has, stops a command", async () => {
  const stopped = processIo().untilStopped({ isStarting: false, reload: () => {} });
  process.emit("SIGBREAK", "SIGBREAK");
  await stopped;
});

it("the clock that durations are measured with does not go back when the time of day is set back", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { clock, ticks } = processIo().surroundings;
  const before = { clock: clock(), ticks: ticks() };
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(clock()).toBeLessThan(before.clock);
  expect(ticks()).toBeGreaterThanOrEqual(before.ticks);
});
