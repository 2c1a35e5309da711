import { expect, it, vi } from "vitest";
import { serializeData } from "../../src/store/bytes/data-text.js";
import type { Data } from "../../src/store/data.js";
import { updateDataFile } from "../../src/store/file/update-data-file.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { DATA } from "../support/data.js";
import { contents, set } from "../support/edits.js";
import { runHistoryModel } from "../support/history-model.js";
import { SIMULATED, SimulatedDisk, simulated } from "../support/simulated-disk.js";

vi.mock("node:fs", async (load) =>
  (await import("../support/simulated-disk.js")).simulatedFs(load),
);
vi.mock("node:fs/promises", async (load) =>
  (await import("../support/simulated-disk.js")).simulatedPromises(load),
);

/** `npm run test:durability` makes many more. */
const RUNS = 40;
const PATH = `${SIMULATED}vars.json`;

it("a history has exactly the writes that were made, whatever is killed, cut off or changed by other programs", async () => {
  const figures = { runs: 0, writes: 0, kills: 0, cuts: 0, retries: 0 };
  for (let seed = 1; seed <= RUNS; seed++) await runHistoryModel(seed, figures);
  for (const count of Object.values(figures)) expect(count).toBeGreaterThan(RUNS / 2);
});

it.each([
  [
    "of the same size, at the same moment, while the history is synced",
    "sync",
    `${PATH}.history.jsonl`,
    false,
  ],
  ["just before the file is replaced", "close", ".tmp", true],
])("a change by another program is kept: %s", async (_when, name, end, isLater) => {
  const disk = new SimulatedDisk(PATH);
  simulated.disk = disk;
  const bytesOf = (data: Data) => Buffer.concat([...serializeData(data)]);
  disk.change(PATH, bytesOf(set(DATA, { PORT: 1000 })), true);
  await updateDataFile(PATH, (data) => set(data, { PORT: 2000 }));
  let isChanged = false;
  disk.onCall = (call) => {
    if (isChanged || call.name !== name || !call.path.endsWith(end)) return undefined;
    isChanged = true;
    if (isLater) disk.tick();
    disk.change(PATH, bytesOf(set(DATA, { PORT: 3000 })), false);
    return undefined;
  };
  await updateDataFile(PATH, (data) =>
    set(data, { DATABASE_URL: `after ${contents({ data })["PORT"]}` }),
  );
  const data = await parseData(disk.read(PATH));
  expect([isChanged, contents({ data })]).toMatchObject([
    true,
    { PORT: 3000, DATABASE_URL: "after 3000" },
  ]);
});
