import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CONNECTIONS = 32;
/** A slow answer is measured as such; only one that does not come is a failure. */
const TIMEOUT = "30s";
const SCRIPT = fileURLToPath(new URL("wrk.lua", import.meta.url));
const run = promisify(execFile);

/**
 * Sends the requests of a file, by default as fast as the server answers them.
 *
 * @param {{ connections?: number, pauseMs?: number }} options a pause before each request of a
 *   connection
 * @returns {Promise<{ requests: number, seconds: number, p50: number, p99: number, errorStatuses:
 *   number }>} latencies in
 *   microseconds, without pauses; `errorStatuses` are answers from 400 on
 * @throws {Error} if a connection failed or a request was not answered
 */
export async function wrk(url, file, seconds, { connections = CONNECTIONS, pauseMs = 0 } = {}) {
  const load = [
    "--threads=1",
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    `--timeout=${TIMEOUT}`,
  ];
  const { stdout } = await run("wrk", [
    ...load,
    "--script",
    SCRIPT,
    url,
    "--",
    file,
    String(pauseMs),
  ]);
  const { failures, ...result } = JSON.parse(stdout.trim().split("\n").at(-1));
  if (Object.values(failures).some((count) => count > 0))
    throw new Error(`wrk failed: ${JSON.stringify(failures)}`);
  return result;
}
