import { expect, it, vi } from "vitest";
import { runHistoryModel } from "../support/history-model.js";
import { grouped, QUICK } from "../support/measuring.js";
import { addRow, figure, since } from "./figure.js";

vi.mock("node:fs", async (load) =>
  (await import("../support/simulated-disk.js")).simulatedFs(load),
);
vi.mock("node:fs/promises", async (load) =>
  (await import("../support/simulated-disk.js")).simulatedPromises(load),
);

const RUNS = QUICK ? 1_000 : 20_000;
/** `npm test` has the seeds below. */
const FIRST_SEED = 1_001;

it("a history has exactly the writes that were made, in many more runs", async () => {
  const start = performance.now();
  const figures = { runs: 0, writes: 0, kills: 0, cuts: 0, retries: 0 };
  const failures: string[] = [];
  for (let seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++)
    await runHistoryModel(seed, figures).catch((error: Error) => failures.push(error.message));
  const { writes, kills, cuts, retries } = figures;
  addRow({ test: "a simulated disk and other programs", tries: writes, lost: failures.length });
  figure(
    `a simulated disk: ${grouped(RUNS)} runs of ${grouped(writes)} writes, ${grouped(kills)} kills, ${grouped(cuts)} ` +
      `power cuts, ${grouped(retries)} writes made again: ${failures.length} runs with another history (${since(start)})`,
  );
  expect(failures.slice(0, 3)).toStrictEqual([]);
});
