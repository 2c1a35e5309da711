/**
 * Prints how much code runs for everyday tasks, beside the goal for each: `npm run proportion`.
 * With --list, also the files and functions.
 *
 * The counts are V8's, of the modules in build/. A command runs in a process of its own with
 * NODE_V8_COVERAGE. A request is counted in a server of this process that is up already: the first
 * one of an environment, and the next one, for another name. The client of these requests is not
 * counted. A file counts if one of its functions runs. The body of a module is not a function here,
 * so a module that is only loaded does not count.
 */
import { spawn } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { serve } from "../build/local-server.js";

const BUILD = new URL("../build/", import.meta.url).href;
const MAX_LINES = 25_290;

const folder = mkdtempSync(join(tmpdir(), "appvars-proportion-"));
try {
  await main(process.argv.includes("--list"));
} finally {
  rmSync(folder, { recursive: true });
}

async function main(isListed) {
  const data = join(folder, "vars.json");
  copyFileSync(new URL("../data/example.json", import.meta.url), data);
  const server = await serve({ data, port: 0 });
  const { apiKey, apiSecret } = server.credentials("shop/test");
  const secret = { APPVARS_API_SECRET: apiSecret };
  const local = ["--data", data, "--env", "shop/test"];
  const remote = ["--url", server.url, "--api-key", apiKey];

  const first = await runRequest(server.url, "DEBUG", apiKey, apiSecret);
  const next = await runRequest(server.url, "PORT", apiKey, apiSecret);
  const tasks = [
    ["get --data", await runCommand(["get", "PORT", ...local]), 28, 121],
    [
      "get from a server, the client",
      await runCommand(["get", "PORT", ...remote], secret),
      30,
      121,
    ],
    ["a request in the server, first", first, 15, 80],
    ["a request in the server, later", next, 15, 80],
    ["set --data", await runCommand(["set", "PORT", "8081", ...local]), 39, 200],
  ];
  await server.close();

  printRow("", "files", "goal", "functions", "goal");
  for (const [name, run, files, functions] of tasks) {
    printRow(name, new Set(run.map(({ file }) => file)).size, files, run.length, functions);
    if (isListed) printList(run);
  }
  print(`\n${countLines()} lines in src/ without the terminal interface; the goal is ${MAX_LINES}`);
}

/** Runs the command line in a new process. Resolves to the functions that ran there. */
async function runCommand(argv, secrets = {}) {
  const coverage = mkdtempSync(join(folder, "coverage-"));
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const start = `import { start } from "${BUILD}cli/start.js"; process.exitCode = await start(process.argv.slice(1));`;
  const env = { PATH: process.env.PATH, HOME: home, NODE_V8_COVERAGE: coverage, ...secrets };
  const stdio = ["ignore", "ignore", "inherit"];
  const child = spawn(process.execPath, ["--input-type=module", "-e", start, "--", ...argv], {
    cwd: folder,
    env,
    stdio,
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${argv[0]} ended with ${code}`);
  const reports = readdirSync(coverage).map((name) =>
    JSON.parse(readFileSync(join(coverage, name), "utf8")),
  );
  return reports.flatMap(({ result }) => functionsThatRan(result));
}

/**
 * Answers a signed request in this process. Resolves to the functions between its arrival and its
 * answer.
 */
async function runRequest(url, name, apiKey, apiSecret) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  await requestValue(url, name, apiKey, apiSecret);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return functionsThatRan(result);
}

/** Signs by hand, so that nothing of the client is counted. */
async function requestValue(url, name, apiKey, apiSecret) {
  const path = `/v1/variables-values-by-name/${name}/content`;
  const timestamp = Date.now();
  const text = `${timestamp}GET${path}${createHash("md5").update("{}").digest("hex")}`;
  const signature = createHmac("sha256", apiSecret).update(text).digest("hex");
  const headers = { "x-api-key": apiKey, Authorization: `HMAC ${timestamp}:${signature}` };
  const [response] = await once(get(url + path, { headers, agent: false }), "response");
  await once(response.resume(), "end");
  if (response.statusCode !== 200) throw new Error(`the server answered ${response.statusCode}`);
}

/**
 * Those in build/, by file and position. V8 reports the body of a module as a function at 0 without
 * a name.
 */
function functionsThatRan(scripts) {
  return scripts
    .filter(({ url }) => url.startsWith(BUILD))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [{ count, startOffset }] }) => count > 0 && startOffset > 0)
        .map(({ functionName, ranges: [{ startOffset }] }) => ({
          file: url.slice(BUILD.length),
          name: functionName || "(anonymous)",
          startOffset,
        })),
    );
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

function printRow(name, ...figures) {
  print(`${name.padEnd(32)}${figures.map((figure) => String(figure).padStart(10)).join("")}`);
}

function printList(run) {
  for (const file of new Set(run.map(({ file }) => file))) {
    const names = run.filter((one) => one.file === file).map(({ name }) => name);
    print(`  ${file}: ${names.join(", ")}`);
  }
}

function countLines() {
  const src = fileURLToPath(new URL("../src/", import.meta.url));
  return readdirSync(src, { recursive: true })
    .filter((path) => /\.tsx?$/.test(path) && !/^(cli\/)?tui\//.test(path))
    .reduce((sum, path) => sum + readFileSync(join(src, path), "utf8").split("\n").length - 1, 0);
}
