import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServerProcess } from "../shared/server-process.mjs";
import { ratios } from "../shared/statistics.mjs";
import { SERVER_CORE } from "./cores.mjs";
import { benchData, writeData } from "./data.mjs";
import { spread, table, whole } from "./markdown.mjs";
import { get } from "./requests.mjs";

const VARIABLES = 1_000;
const BARE = fileURLToPath(new URL("../peers/bare.mjs", import.meta.url));

/**
 * From the start of `appvars serve` to its first answer, beside a bare `node:http` server.
 *
 * @param {{ folder: string, starts: number, log: (text: string) => void }} options
 */
export async function start({ folder, starts, log }) {
  const { path } = writeData(folder, "started.json", benchData(VARIABLES));
  const recording = join(folder, "health.json");
  writeFileSync(
    recording,
    JSON.stringify({ "/healthz": { status: 200, headers: [], body: "{}" } }),
  );
  const bare = [];
  const appvars = [];
  // The first round warms up caches and is not counted.
  for (let round = 0; round <= starts; round++) {
    const times = [
      await untilHealthy(new ServerProcess([BARE, recording], { core: SERVER_CORE })),
      await untilHealthy(ServerProcess.serve(path, { core: SERVER_CORE })),
    ];
    if (round === 0) continue;
    bare.push(times[0]);
    appvars.push(times[1]);
  }
  log(`${starts} starts`);
  return table(
    [`${starts} starts with ${whole(VARIABLES)} variables`, "Until the first answer, ms", "Ratio"],
    [
      ["bare `node:http`", spread(bare, whole), "1"],
      ["`appvars serve`", spread(appvars, whole), spread(ratios(appvars, bare))],
    ],
  );
}

async function untilHealthy(server) {
  try {
    assert.equal((await get(await server.url(), "/healthz")).status, 200);
    return performance.now() - server.startedAt;
  } finally {
    await server.stop();
  }
}
