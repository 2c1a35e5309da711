/**
 * Runs everyday tasks, and tells which functions of the modules in build/ ran, as V8 counts them.
 *
 * A command runs in a process of its own with NODE_V8_COVERAGE. A request is counted in a server of
 * this process that has answered nothing yet; its client is not counted. The body of a module is not
 * a function here, so a module that is only loaded does not count.
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
import { serve } from "../build/library/local-server.js";

const BUILD = new URL("../build/", import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), "appvars-proportion-"));

/** Resolves to the functions that ran for each task, by its name. */
export async function runTasks() {
  try {
    return await runIn(join(folder, "vars.json"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runIn(data) {
  copyFileSync(new URL("../data/example.json", import.meta.url), data);
  const server = await serve({ data, port: 0 });
  const { apiKey, apiSecret } = server.credentials("shop/test");
  const secret = { APPVARS_API_SECRET: apiSecret };
  const local = ["--data", data, "--env", "shop/test"];
  const remote = ["--url", server.url, "--api-key", apiKey];
  // The first request of an environment also makes its view.
  await requestValue(server.url, "DEBUG", apiKey, apiSecret);
  const tasks = {
    "one request": await runRequest(server.url, "PORT", apiKey, apiSecret),
    "get from a file": await runCommand(["get", "PORT", ...local]),
    "get from a server": await runCommand(["get", "PORT", ...remote], secret),
    set: await runCommand(["set", "PORT", "8081", ...local]),
  };
  await server.close();
  return tasks;
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
 * The functions of modules in build/ that ran, with their files and positions. V8 reports the body
 * of a module as a function at 0 without a name.
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
