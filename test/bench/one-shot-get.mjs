/**
 * How long scripts wait for one value: `appvars get` from a server beside a hand-written script that makes the same
 * signed request, and `dotenvx get` from a file. And for a program to start: `appvars run` beside dotenv-cli. Medians of
 * 25 runs that take turns, so that the ratios are comparable under load; absolute times depend on the machine.
 * `npm run bench:get` builds first.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bigData, bigName } from "../support/big-data.mjs";
import { APPVARS, ServerProcess } from "./shared/server-process.mjs";
import { median } from "./shared/statistics.mjs";

const RUNS = 25;
const PEERS = ["@dotenvx/dotenvx@2.38.2", "dotenv-cli@11.0.0"];
const NAME = bigName(0);
const folder = mkdtempSync(join(tmpdir(), "appvars-bench-"));
const data = bigData(4);
const dataFile = write("data.json", JSON.stringify(data));
const server = ServerProcess.serve(dataFile);
try {
  const [{ api_key, api_secret }] = data.environments;
  const credentials = { APPVARS_URL: await server.url(), APPVARS_API_KEY: api_key, APPVARS_API_SECRET: api_secret };
  const env = { PATH: process.env.PATH, HOME: folder, ...credentials };
  installPeers();
  const dotenvFile = write(".env", `${NAME}=https://localhost/\nPORT=3000\n`);
  const program = ["--", "true"];
  const commands = {
    "bare node": ["--eval", ""],
    "hand-written script": [fileURLToPath(new URL("hand-written-get.cjs", import.meta.url)), NAME],
    "appvars get": [APPVARS, "get", NAME],
    "dotenvx get": [peer("@dotenvx/dotenvx/src/cli/dotenvx.js"), "get", NAME, "-f", dotenvFile],
    "appvars run": [APPVARS, "run", ...program],
    "appvars run --data": [APPVARS, "run", "--data", dataFile, "--env", "shop/staging", ...program],
    "dotenv-cli": [peer("dotenv-cli/cli.js"), "-e", dotenvFile, ...program],
  };
  const medians = measure(commands, env);
  for (const [name, ms] of Object.entries(medians)) console.log(`${name.padEnd(22)}${ms.toFixed(1)} ms`);
  const get = medians["appvars get"];
  console.log(`get / hand-written     ${(get / medians["hand-written script"]).toFixed(2)}`);
  console.log(`get / dotenvx get      ${(get / medians["dotenvx get"]).toFixed(2)}`);
  for (const run of ["appvars run", "appvars run --data"])
    console.log(`${`${run.slice(8)} / dotenv-cli`.padEnd(23)}${(medians[run] / medians["dotenv-cli"]).toFixed(2)}`);
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}

function measure(commands, env) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  // The first round warms up caches and is not counted.
  for (let round = 0; round <= RUNS; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const startedAt = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
      if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
      if (round > 0) times[name].push(performance.now() - startedAt);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

function installPeers() {
  const { status, stderr } = spawnSync("npm", ["install", "--loglevel", "error", "--prefix", folder, ...PEERS], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`can't install ${PEERS.join(" and ")}: ${stderr}`);
}

function peer(path) {
  return join(folder, "node_modules", path);
}

function write(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
