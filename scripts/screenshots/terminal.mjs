import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const TIMEOUT_MS = 20_000;
const POLL_MS = 50;
const BINARY = fileURLToPath(new URL("../../bin/appvars.cjs", import.meta.url));

/** A terminal of tmux in a folder of its own, which is home too, with the built `appvars` on its path. */
export class Terminal {
  home = mkdtempSync(join(tmpdir(), "appvars-screenshot-"));
  #env;
  #children = [];
  #closers = [];

  constructor(env = {}) {
    const bin = join(this.home, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "appvars"), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, { mode: 0o755 });
    // Nothing of this process's environment but the path to programs.
    const path = `${bin}${delimiter}${process.env.PATH}`;
    const folders = { HOME: this.home, XDG_CONFIG_HOME: this.home, TMUX_TMPDIR: this.home };
    this.#env = { PATH: path, LANG: "C.UTF-8", FORCE_COLOR: "3", ...env, ...folders };
  }

  /** Writes a file that only this user can read, as JSON if it is no text. */
  write(name, content) {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(this.home, name), text, { mode: 0o600 });
  }

  /** Runs `appvars` to its end. */
  run(args, env = {}) {
    execFileSync(process.execPath, [BINARY, ...args], {
      cwd: this.home,
      env: { ...this.#env, ...env },
      stdio: "ignore",
    });
  }

  /** Starts `appvars serve` on a free port. Resolves to its address, and to what stops it. */
  async serve(...args) {
    const options = { cwd: this.home, env: this.#env, stdio: ["ignore", "pipe", "pipe"] };
    const server = spawn(process.execPath, [BINARY, "serve", "--port", "0", ...args], options);
    const ended = new Promise((resolve) => server.once("close", resolve));
    this.#children.push(() => server.kill() && ended);
    const url = await new Promise((resolve, reject) => {
      let output = "";
      const listen = (chunk) => {
        output += chunk;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
        if (found) resolve(found);
      };
      for (const stream of [server.stdout, server.stderr]) stream.setEncoding("utf8").on("data", listen);
      server.once("close", () => reject(new Error(`the server ended: ${output}`)));
    });
    return { url, stop: async () => server.kill() && ended };
  }

  /** Has something closed at the end. */
  onClose(close) {
    this.#closers.push(close);
  }

  /** Opens the terminal with a command in it. */
  async open(command, { columns, rows }) {
    const settings = { status: "off", "default-terminal": "tmux-256color", "remain-on-exit": "on" };
    const sets = Object.entries(settings).flatMap(([option, value]) => ["set", "-g", option, value, ";"]);
    const size = ["-x", String(columns), "-y", String(rows)];
    await this.#tmux("start-server", ";", ...sets, "new-session", "-d", ...size, "-c", this.home, "sh", "-c", command);
  }

  async press(keys) {
    await this.#tmux("send-keys", "--", ...keys);
  }

  async type(text) {
    await this.#tmux("send-keys", "-l", "--", text);
  }

  /** Waits until the screen is like this. */
  async until(pattern) {
    const deadline = performance.now() + TIMEOUT_MS;
    for (let screen = await this.#screen(); !pattern.test(screen); screen = await this.#screen()) {
      if (performance.now() > deadline) throw new Error(`${pattern} did not come to be on the screen:\n${screen}`);
      await delay(POLL_MS);
    }
  }

  /** The screen, with its colours. */
  frame() {
    return this.#screen("-e");
  }

  async close() {
    await this.#tmux("kill-server").catch(() => {});
    for (const stop of [...this.#children, ...this.#closers]) await stop();
    rmSync(this.home, { recursive: true });
  }

  #screen(...options) {
    return this.#tmux("capture-pane", "-p", ...options);
  }

  async #tmux(...args) {
    const options = { env: this.#env, encoding: "utf8" };
    const { stdout } = await promisify(execFile)("tmux", ["-u", "-L", "shot", "-f", "/dev/null", ...args], options);
    return stdout;
  }
}
