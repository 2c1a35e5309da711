/**
 * How fast `appvars serve` is: CPU time and throughput beside other servers, waits and memory while
 * the data file is replaced, the start, tasks with more and more data, and reads of data in etcd.
 * Prints the tables of docs/performance.md and, for etcd, of docs/scaling.md. For Linux with two
 * cores: it needs `taskset`, `wrk`, /proc, `etcd` and `npm ci --prefix test/bench`. `npm run bench`
 * builds first; `npm run bench start` measures only that, and `QUICK=1` makes fewer rounds, to try
 * it out.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { leaveServerCore } from "./server/cores.mjs";
import { etcd } from "./server/etcd.mjs";
import { growth } from "./server/growth.mjs";
import { reload } from "./server/reload.mjs";
import { start } from "./server/start.mjs";
import { throughput } from "./server/throughput.mjs";

const quick = process.env.QUICK === "1";
const log = (text) => console.error(text);
const SECTIONS = {
  throughput: (folder) => throughput({ folder, log, rounds: quick ? 2 : 11 }),
  reload: (folder) =>
    reload({
      folder,
      log,
      ...(quick ? { replacements: 2, quietMs: 1_000 } : { replacements: 5, quietMs: 3_000 }),
    }),
  start: (folder) => start({ folder, log, starts: quick ? 3 : 25 }),
  growth: (folder) => growth({ folder, log, rounds: quick ? 2 : 11 }),
  etcd: (folder) => etcd({ folder, log, rounds: quick ? 2 : 12 }),
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SECTIONS);
const unknown = names.filter((name) => !(name in SECTIONS));
if (unknown.length > 0)
  throw new Error(`no such section: ${unknown}; there are ${Object.keys(SECTIONS).join(", ")}`);
if (names.includes("throughput") && !existsSync(new URL("node_modules", import.meta.url)))
  throw new Error("the other servers are not installed: npm ci --prefix test/bench");

leaveServerCore();
// Other load affects the figures: the ratios less than the rest.
console.log(
  `${cpus().length} × ${cpus()[0].model}, Node.js ${process.versions.node}, load ${loadavg()[0].toFixed(1)}`,
);
for (const name of names) {
  log(`\n${name}`);
  const folder = mkdtempSync(join(tmpdir(), "appvars-bench-"));
  try {
    console.log(`\n${await SECTIONS[name](folder)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
