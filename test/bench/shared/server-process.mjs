import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cpuSecondsOf } from "./cpu-time.mjs";
import { memoryOf } from "./memory.mjs";

export const APPVARS = fileURLToPath(new URL("../../../bin/appvars.cjs", import.meta.url));

/** Requests in a minute: counted, but never reached. */
export const RATE_LIMIT = 1e9;

/** A Node.js program that prints `http://127.0.0.1:PORT`, or with `https`, once it listens. */
export class ServerProcess {
  /** By performance.now(). */
  startedAt = performance.now();
  #child;
  #ended;

  /**
   * @param {string[]} args of `node`
   * @param {{ core?: number, stderr?: number | "pipe", cache?: string }} options the only core that
   *   it may run on, where it
   *   logs to, and the folder for its caches
   */
  constructor(args, { core, stderr = "pipe", cache } = {}) {
    const pin = core === undefined ? [] : ["taskset", "--cpu-list", String(core)];
    const [program, ...rest] = [...pin, process.execPath, ...args];
    const env = { ...process.env, NODE_ENV: "production", ...(cache && { XDG_CACHE_HOME: cache }) };
    this.#child = spawn(program, rest, { env, stdio: ["ignore", "pipe", stderr] });
    this.#ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  /**
   * `appvars serve` on a free port, over a data file or the store at a URL.
   *
   * @param {{ flags?: string[] }} options further flags, and the options of the constructor
   */
  static serve(place, { flags = [], ...options } = {}) {
    const data = [place.startsWith("etcd:") ? "--store" : "--data", place];
    const limit = ["--rate-limit", String(RATE_LIMIT)];
    return new ServerProcess(
      [APPVARS, "serve", ...data, "--port", "0", ...limit, ...flags],
      options,
    );
  }

  /** Resolves to its address once it listens. */
  async url() {
    let output = "";
    const listening = new Promise((resolve) => {
      const look = (chunk) => {
        output += chunk;
        const [url] = /https?:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        if (url) resolve(url);
      };
      for (const stream of [this.#child.stdout, this.#child.stderr])
        stream?.setEncoding("utf8").on("data", look);
    });
    const ended = this.#ended.then(() => Promise.reject(new Error(`the server ended: ${output}`)));
    return Promise.race([listening, ended]);
  }

  cpuSeconds() {
    return cpuSecondsOf(this.#child.pid);
  }

  memory() {
    return memoryOf(this.#child.pid);
  }

  async stop() {
    this.#child.kill();
    await this.#ended;
  }
}
