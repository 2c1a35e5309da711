import { strict as assert } from "node:assert";
import { bigName } from "../../support/big-data.mjs";
import { ServerProcess } from "../shared/server-process.mjs";
import { ratios } from "../shared/statistics.mjs";
import { SERVER_CORE } from "./cores.mjs";
import { benchData, writeData } from "./data.mjs";
import { spread, table, whole } from "./markdown.mjs";
import { parseLimit } from "./parse-limit.mjs";
import { AUTHENTICATION, contentTarget, get } from "./requests.mjs";

const VARIABLES = 1_000_000;

/**
 * How soon a server with a very large file is ready, and how long its first request waits.
 *
 * @param {{ folder: string, starts: number, log: (text: string) => void }} options
 */
export async function largeFile({ folder, starts, log }) {
  const { path, megabytes } = writeData(folder, "very-large.json", benchData(VARIABLES));
  const parse = [];
  const ready = [];
  const first = [];
  const peak = [];
  const peakOfParse = [];
  for (let start = 0; start < starts; start++) {
    const limit = parseLimit(path);
    const server = ServerProcess.serve(path, { core: SERVER_CORE });
    try {
      const url = await server.url();
      assert.equal((await get(url, "/healthz")).status, 200);
      const readyAt = performance.now();
      const answer = await get(url, contentTarget(bigName(VARIABLES / 2)), AUTHENTICATION.signature);
      first.push(performance.now() - readyAt);
      assert.equal(answer.status, 200);
      ready.push(readyAt - server.startedAt);
      parse.push(limit.ms);
      peak.push(server.memory().peak);
      peakOfParse.push(limit.peakMegabytes);
    } finally {
      await server.stop();
    }
    log(`start ${start + 1} of ${starts}: ready after ${whole(ready.at(-1))} ms`);
  }
  const title = `${starts} starts with ${whole(VARIABLES)} variables, ${whole(megabytes)} MB`;
  return table(
    [title, "", "Ratio"],
    [
      ["Reading and `JSON.parse`, ms", spread(parse, whole), "1"],
      ["Ready, ms", spread(ready, whole), spread(ratios(ready, parse))],
      ["First request, ms", spread(first, whole), spread(ratios(first, parse))],
      ["RSS at its peak with `JSON.parse`, MB", spread(peakOfParse, whole), "1"],
      ["RSS at its peak, MB", spread(peak, whole), spread(ratios(peak, peakOfParse))],
    ],
  );
}
