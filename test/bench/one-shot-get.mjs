/**
 * How long scripts wait for one value: `appvars get` from a server beside a hand-written script that makes the same
 * signed request, and `dotenvx get` from a file. Medians of 25 runs that take turns, so that the ratios are
 * comparable under load; absolute times depend on the machine. `npm run bench` builds first.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const RUNS = 25;
const DOTENVX = "@dotenvx/dotenvx@2.38.2";
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const binary = here("../../bin/appvars.cjs");
const folder = mkdtempSync(join(tmpdir(), "appvars-bench-"));
const server = await startServer();
try {
  const env = { PATH: process.env.PATH, HOME: folder, ...server.credentials };
  const commands = {
    "bare node": ["--eval", ""],
    "hand-written script": [here("hand-written-get.mjs"), "DATABASE_URL"],
    "appvars get": [binary, "get", "DATABASE_URL"],
    "dotenvx get": [installDotenvx(), "get", "DATABASE_URL", "-f", envFile()],
  };
  const medians = measure(commands, env);
  for (const [name, ms] of Object.entries(medians)) console.log(`${name.padEnd(22)}${ms.toFixed(1)} ms`);
  const get = medians["appvars get"];
  console.log(`get / hand-written     ${(get / medians["hand-written script"]).toFixed(2)}`);
  console.log(`get / dotenvx get      ${(get / medians["dotenvx get"]).toFixed(2)}`);
} finally {
  server.stop();
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
  const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

async function startServer() {
  const args = ["serve", "--data", here("../../data/example.json"), "--port", "0", "--rate-limit", "0"];
  const child = spawn(process.execPath, [binary, ...args, "--print-credentials", "shop/development"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const credentials = {};
  for await (const line of createInterface(child.stdout)) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(line);
    credentials[name] = value;
    if (name === "APPVARS_API_SECRET") break;
  }
  return { credentials, stop: () => child.kill() };
}

function installDotenvx() {
  const { status, stderr } = spawnSync("npm", ["install", "--loglevel", "error", "--prefix", folder, DOTENVX], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`can't install ${DOTENVX}: ${stderr}`);
  return join(folder, "node_modules/@dotenvx/dotenvx/src/cli/dotenvx.js");
}

function envFile() {
  const path = join(folder, ".env");
  writeFileSync(path, "DATABASE_URL=postgres://localhost/shop_dev\nPORT=3000\n");
  return path;
}
