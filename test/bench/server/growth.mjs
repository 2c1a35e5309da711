import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bigName } from "../../support/big-data.mjs";
import { APPVARS, ServerProcess } from "../shared/server-process.mjs";
import { median, ratios } from "../shared/statistics.mjs";
import { writeGrowingData } from "./data.mjs";
import { ratio, table, whole } from "./markdown.mjs";

const COUNTS = [1_000, 10_000, 100_000];
const REPORT_USAGE = fileURLToPath(new URL("report-usage.cjs", import.meta.url));
const PARSE = "JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'))";
/** The columns of figures: the last two sizes show how the time grows. */
const HEADER = [
  "Task",
  ...COUNTS.map((count) => `${whole(count)}, ms`),
  "Exponent",
  "Ratio",
  "Peak, MB",
];

/**
 * How the CPU time of tasks grows with the data, and what they take beside `JSON.parse` of the same
 * file.
 *
 * @param {{ folder: string, rounds: number, log: (text: string) => void }} options
 */
export async function growth({ folder, rounds, log }) {
  const runs = new Map();
  for (const count of COUNTS) {
    const file = writeGrowingData(folder, `${count}.json`, count);
    // The first round warms up caches and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const [name, run] of Object.entries(tasksOf(file, join(folder, "changed.json")))) {
        const used = await run();
        if (round === 0) continue;
        const lists = runs.get(name) ?? new Map();
        runs.set(name, lists.set(count, [...(lists.get(count) ?? []), used]));
      }
    }
    log(`${whole(count)} variables`);
  }
  const cpu = (name, count) =>
    runs
      .get(name)
      .get(count)
      .map(({ ms }) => ms);
  const [before, last] = COUNTS.slice(-2);
  const rows = [...runs].map(([name, lists]) => {
    const times = COUNTS.map((count) => median(cpu(name, count)));
    const exponent = Math.log(times.at(-1) / times.at(-2)) / Math.log(last / before);
    const beside = median(ratios(cpu(name, last), cpu("`JSON.parse`", last)));
    const peak = median(lists.get(last).map(({ megabytes }) => megabytes));
    return [name, ...times.map(whole), exponent.toFixed(2), ratio(beside), whole(peak)];
  });
  return table(HEADER, rows);
}

/** @param changed path of the file that `set` changes */
function tasksOf(file, changed) {
  const [first, second] = ["shop/staging", "shop/production"];
  const read =
    (...args) =>
    () =>
      usedBy([APPVARS, ...args, "--data", file, "--env", first]);
  return {
    "`JSON.parse`": () => usedBy(["--eval", PARSE, file]),
    "`serve`, until it is ready": () => usedUntilReady(file),
    "`get`": read("get", bigName(0)),
    "`list`": read("list"),
    "`list --values`": read("list", "--values"),
    "`export`": read("export"),
    "`diff`": () => usedBy([APPVARS, "diff", first, second, "--data", file]),
    "`set`": () => {
      copyFileSync(file, changed);
      return usedBy([APPVARS, "set", bigName(0), "changed", "--data", changed, "--env", first]);
    },
  };
}

/** CPU time of a process, and its memory at the peak. */
function usedBy(args) {
  const { status, stderr, output } = spawnSync(
    process.execPath,
    ["--require", REPORT_USAGE, ...args],
    {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`${args} failed: ${stderr}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(output[3]);
  return { ms: (userCPUTime + systemCPUTime) / 1e3, megabytes: maxRSS * 1.024e-3 };
}

async function usedUntilReady(file) {
  const server = ServerProcess.serve(file);
  try {
    await server.url();
    return { ms: server.cpuSeconds() * 1e3, megabytes: server.memory().peak };
  } finally {
    await server.stop();
  }
}
