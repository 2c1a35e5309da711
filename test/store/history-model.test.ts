import { expect, it, vi } from "vitest";
import { runHistoryModel } from "../support/history-model.js";

vi.mock("node:fs", async (load) => (await import("../support/simulated-disk.js")).simulatedFs(load));
vi.mock("node:fs/promises", async (load) => (await import("../support/simulated-disk.js")).simulatedPromises(load));

const RUNS = 100;

it("a history has exactly the writes that were made, whatever is killed, cut off or changed by other programs", async () => {
  const figures = { runs: 0, writes: 0, kills: 0, cuts: 0, retries: 0 };
  for (let seed = 1; seed <= RUNS; seed++) await runHistoryModel(seed, figures);
  expect(figures).toMatchObject({ runs: RUNS, retries: expect.any(Number) });
  for (const count of Object.values(figures)) expect(count).toBeGreaterThan(RUNS / 2);
});
