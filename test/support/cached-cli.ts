import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Data } from "../../src/store/data.js";
import { type CliOptions, runCli } from "./cli.js";
import { CREDENTIALS } from "./data.js";
import { runningServer } from "./running-server.js";
import { temporaryFolder } from "./temporary-folder.js";

/** A server that can be stopped, and a command line with its own cache. */
export async function cachedCli() {
  const server = await runningServer();
  const cache = join(await temporaryFolder(), "cache");
  const env: Record<string, string> = { APPVARS_URL: server.url, ...CREDENTIALS };
  const get = (line: string, options: CliOptions = {}) =>
    runCli(["get", ...line.split(" ")], { env, cache, ...options });
  /** Closes the server and starts one with other data on its port. */
  const replaceWith = async (data: unknown) => {
    await server.close();
    return runningServer({ data: data as Data, port: server.port });
  };
  return { server, env, cache, get, replaceWith };
}

export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
