/**
 * CPU time (user and system) of short calls: `appvars get` from a server beside a hand-written
 * script that makes the same signed request, and `dotenvx get` from a file; `appvars run` beside
 * dotenv-cli; `--version` beside a script that prints. Medians of 31 runs that take turns, and of
 * the ratios within a turn: both are comparable under load, and absolute times depend on the
 * machine. Needs bash. `npm run bench:get` builds first.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bigData, bigName } from "../support/big-data.mjs";
import { APPVARS, ServerProcess } from "./shared/server-process.mjs";
import { median } from "./shared/statistics.mjs";

const RUNS = 31;
const PEERS = ["@dotenvx/dotenvx@2.38.2", "dotenv-cli@11.0.0"];
/** Prints the exit code, and the seconds of user and system time. */
const TIMED = 'TIMEFORMAT="%U %S"; time { "$0" "$@" 2>/dev/null; echo -n "$? " >&2; }';
const NAME = bigName(0);
const folder = mkdtempSync(join(tmpdir(), "appvars-bench-"));
const data = bigData(4);
const dataFile = write("data.json", JSON.stringify(data));
const server = ServerProcess.serve(dataFile);
try {
  const [{ api_key, api_secret }] = data.environments;
  const credentials = {
    APPVARS_URL: await server.url(),
    APPVARS_API_KEY: api_key,
    APPVARS_API_SECRET: api_secret,
  };
  const env = { PATH: process.env.PATH, HOME: folder, ...credentials };
  installPeers();
  const dotenvFile = write(".env", `${NAME}=https://localhost/\nPORT=3000\n`);
  const program = ["--", "true"];
  const commands = {
    "bare node": ["--eval", ""],
    "script that prints": ["--eval", "console.log('0.1.0')"],
    "appvars --version": [APPVARS, "--version"],
    "appvars gte": [APPVARS, "gte"],
    "appvars --help": [APPVARS, "--help"],
    "hand-written script": [fileURLToPath(new URL("hand-written-get.cjs", import.meta.url)), NAME],
    "appvars get": [APPVARS, "get", NAME],
    "dotenvx get": [peer("@dotenvx/dotenvx/src/cli/dotenvx.js"), "get", NAME, "-f", dotenvFile],
    "appvars run": [APPVARS, "run", ...program],
    "appvars run --data": [APPVARS, "run", "--data", dataFile, "--env", "shop/staging", ...program],
    "dotenv-cli": [peer("dotenv-cli/cli.js"), "-e", dotenvFile, ...program],
  };
  const times = measure(commands, env);
  for (const [name, list] of Object.entries(times))
    console.log(`${name.padEnd(40)}${median(list).toFixed(1)} ms`);
  const pairs = [
    ["appvars --version", "script that prints"],
    ["appvars gte", "script that prints"],
    ["appvars --help", "appvars get"],
    ["appvars get", "hand-written script"],
    ["appvars get", "dotenvx get"],
    ["appvars run --data", "dotenv-cli"],
    ["appvars run", "dotenv-cli"],
  ];
  for (const [name, peer] of pairs) {
    const ratios = times[name].map((ms, turn) => ms / times[peer][turn]);
    console.log(`${`${name} / ${peer}`.padEnd(40)}${median(ratios).toFixed(2)}`);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}

/** The milliseconds of CPU time of each run, by name. */
function measure(commands, env) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  // The first round warms up caches and is not counted.
  for (let round = 0; round <= RUNS; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const { stderr } = spawnSync("bash", ["-c", TIMED, process.execPath, ...args], {
        env,
        encoding: "utf8",
      });
      const [status, user, system] = stderr.trim().split(" ").map(Number);
      if (status !== (name === "appvars gte" ? 2 : 0)) throw new Error(`${name} failed`);
      if (round > 0) times[name].push(1_000 * (user + system));
    }
  }
  return times;
}

function installPeers() {
  const { status, stderr } = spawnSync(
    "npm",
    ["install", "--loglevel", "error", "--prefix", folder, ...PEERS],
    {
      encoding: "utf8",
    },
  );
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
