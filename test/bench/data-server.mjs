import { spawn } from "node:child_process";

/** `appvars serve` with a data file, on a free port and without a rate limit. */
export class DataServer {
  #child;
  #ended;

  constructor(binary, file) {
    const options = ["serve", "--data", file, "--port", "0", "--rate-limit", "0"];
    this.#child = spawn(process.execPath, [binary, ...options], { stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = new Promise((resolve) => this.#child.once("close", resolve));
  }

  /** Resolves to its address once it listens. */
  async url() {
    let output = "";
    const listening = new Promise((resolve) => {
      const look = (chunk) => {
        output += chunk;
        const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        if (url) resolve(url);
      };
      for (const stream of [this.#child.stdout, this.#child.stderr]) stream.setEncoding("utf8").on("data", look);
    });
    const ended = this.#ended.then(() => Promise.reject(new Error(`the server ended: ${output}`)));
    return Promise.race([listening, ended]);
  }

  async stop() {
    this.#child.kill();
    await this.#ended;
  }
}
