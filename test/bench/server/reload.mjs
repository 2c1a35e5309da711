import { strict as assert } from "node:assert";
import { renameSync } from "node:fs";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { ServerProcess } from "../shared/server-process.mjs";
import { median, quantile } from "../shared/statistics.mjs";
import { SERVER_CORE } from "./cores.mjs";
import { benchData, writeData } from "./data.mjs";
import { ratio, table, tenths, whole } from "./markdown.mjs";
import { parseLimit } from "./parse-limit.mjs";
import { AUTHENTICATION, contentTarget, get } from "./requests.mjs";
import { SteadyLoad } from "./steady-load.mjs";

const VARIABLES = 100_000;
const INTERVAL_MS = 4;
/** For this long after a replacement, the garbage of the old data may still cost time. */
const AFTERMATH_MS = 1_000;
const TIMEOUT_MS = 60_000;

/**
 * How long requests wait while the data file is replaced, and how much memory that takes.
 *
 * @param {{ folder: string, replacements: number, quietMs: number, log: (text: string) => void }}
 *   options
 */
export async function reload({ folder, replacements, quietMs, log }) {
  const data = benchData(VARIABLES);
  const file = writeData(folder, "data.json", data);
  const versions = Array.from({ length: replacements }, (_, index) => edited(data, index));
  const files = versions.map(
    (version, index) => writeData(folder, `next-${index}.json`, version).path,
  );
  const limits = files.map(parseLimit);
  const server = ServerProcess.serve(file.path, { core: SERVER_CORE });
  try {
    const client = new Client(await server.url(), contentTarget(data.variables[0].name));
    const load = new SteadyLoad(() => client.send(), INTERVAL_MS);
    try {
      // Warms up, and is not counted.
      await sleep(quietMs);
      const before = server.memory().now;
      const spans = [];
      for (const path of files) {
        spans.push(await replace(file.path, path, { client, quietMs }));
        log(`replaced in ${whole(spans.at(-1).servedAt - spans.at(-1).replacedAt)} ms`);
      }
      await load.stop();
      const title = `${replacements} replacements of ${whole(VARIABLES)} variables, ${whole(file.megabytes)} MB`;
      const memory = { file: file.megabytes, before, peak: server.memory().peak };
      return report(title, { load, spans, limits, memory });
    } finally {
      await load.stop();
      client.close();
    }
  } finally {
    await server.stop();
  }
}

/** Reads one value, newly signed each time, and remembers the revision of the last answer. */
class Client {
  revision;
  // Closes idle connections before the server does, after 5 seconds, which could be while a request
  // is being sent.
  #agent = new Agent({ keepAlive: true, timeout: 2_000 });

  constructor(url, target) {
    this.url = url;
    this.target = target;
  }

  async send() {
    const { status, headers } = await get(
      this.url,
      this.target,
      AUTHENTICATION.signature,
      this.#agent,
    );
    assert.equal(status, 200);
    this.revision = headers["appvars-revision"];
  }

  close() {
    this.#agent.destroy();
  }
}

/**
 * @returns times of performance.now(): of a quiet while, the replacement, the first new answer, and
 *   the aftermath
 */
async function replace(path, next, { client, quietMs }) {
  const quietFrom = performance.now();
  await sleep(quietMs);
  const { revision } = client;
  const replacedAt = performance.now();
  renameSync(next, path);
  while (client.revision === revision) {
    assert(performance.now() - replacedAt < TIMEOUT_MS, "the new data is not served");
    await sleep(1);
  }
  const servedAt = performance.now();
  await sleep(AFTERMATH_MS);
  return { quietFrom, replacedAt, servedAt, end: performance.now() };
}

function report(title, { load, spans, limits, memory }) {
  const quiet = spans.flatMap(({ quietFrom, replacedAt }) => load.between(quietFrom, replacedAt));
  const busy = spans.flatMap(({ replacedAt, end }) => load.between(replacedAt, end));
  const until = median(spans.map(({ replacedAt, servedAt }) => servedAt - replacedAt));
  const worst = Math.max(...busy);
  const parse = median(limits.map(({ ms }) => ms));
  const parsePeak = median(limits.map(({ peakMegabytes }) => peakMegabytes));
  const wait = (name, of) => [
    `${name}, ms`,
    "the same without a replacement",
    tenths(of(busy)),
    ratio(of(busy) / of(quiet)),
  ];
  const parsing = "reading and `JSON.parse`";
  const rows = [
    wait("Median wait", median),
    wait("p99 wait", (list) => quantile(list, 0.99)),
    wait("Worst wait", (list) => Math.max(...list)),
    ["Worst wait, ms", parsing, tenths(worst), ratio(worst / parse)],
    ["Until the new data is served, ms", parsing, whole(until), ratio(until / parse)],
    ["RSS before, MB", "the file", whole(memory.before), ratio(memory.before / memory.file)],
    ["RSS at its peak, MB", "RSS before", whole(memory.peak), ratio(memory.peak / memory.before)],
    [
      "RSS at its peak, MB",
      `its peak with ${parsing}`,
      whole(memory.peak),
      ratio(memory.peak / parsePeak),
    ],
  ];
  return table([title, "Compared with", "", "Ratio"], rows, { textColumns: 2 });
}

/** The same data with another value of the first variable, a text. */
function edited({ values: [first, ...others], ...data }, index) {
  return { ...data, values: [{ ...first, content: { value: `https://new-${index}` } }, ...others] };
}
