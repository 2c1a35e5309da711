import { spawn } from "node:child_process";
import { ScreenModel } from "./screen-model.mjs";
import { memoryOf } from "./shared/memory.mjs";

const TIMEOUT_MS = 60_000;
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Runs a program on a terminal of this size, made by `script` of util-linux, and records its output
 * with times. Times are those of performance.now().
 */
export class PtyProgram {
  /** When `script` was started, which takes a few milliseconds before it starts the program. */
  startedAt = performance.now();
  #child;
  #pid;
  #screen;
  #onOutput = new Set();

  constructor(command, { columns, rows, env }) {
    this.#screen = new ScreenModel(columns, rows);
    const line = `stty cols ${columns} rows ${rows}; echo "PID $$ ."; exec ${command.map(quoted).join(" ")}`;
    this.#child = spawn("script", ["-qfc", line, "/dev/null"], {
      env: {
        PATH: process.env.PATH,
        HOME: "/dev/null",
        LANG: "C.UTF-8",
        TERM: "xterm-256color",
        SHELL: "/bin/sh",
        ...env,
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdout.setEncoding("utf8").on("data", (chunk) => {
      const at = performance.now();
      const rowsWritten = this.#screen.feed(chunk);
      this.#pid ??= /PID (\d+) \./.exec(this.#screen.text())?.[1];
      for (const listener of this.#onOutput) listener({ at, rowsWritten });
    });
  }

  text() {
    return this.#screen.text();
  }

  /** Resolves to when this came to be on the screen. */
  until(pattern) {
    return this.#outputThat(() => pattern.test(this.text()), `${pattern}`);
  }

  /**
   * Types, and resolves to the milliseconds until the first and until the last write of the answer,
   * which is over when for `quietMs` none of the rows that count is written to.
   *
   * @param {{ quietMs: number, counts: (row: number) => boolean }} options
   */
  async press(keys, { quietMs, counts }) {
    const pressedAt = performance.now();
    let last = 0;
    const isAnswer = ({ at, rowsWritten }) => {
      const isOne = [...rowsWritten].some(counts);
      if (isOne) last = at;
      return isOne;
    };
    this.#onOutput.add(isAnswer);
    const answered = this.#outputThat(isAnswer, `an answer to ${JSON.stringify(keys)}`);
    this.#child.stdin.write(keys);
    const first = await answered;
    while (performance.now() - last < quietMs) {
      await new Promise((resolve) => setTimeout(resolve, quietMs - (performance.now() - last)));
    }
    this.#onOutput.delete(isAnswer);
    return { first: first - pressedAt, whole: last - pressedAt };
  }

  /** How many writes there were to rows that count, in so many milliseconds. */
  async writesIn(ms, counts) {
    let writes = 0;
    const count = ({ rowsWritten }) => {
      if ([...rowsWritten].some(counts)) writes++;
    };
    this.#onOutput.add(count);
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#onOutput.delete(count);
    return writes;
  }

  memory() {
    return memoryOf(this.#pid);
  }

  async stop() {
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    if (this.#child.exitCode !== null) return;
    try {
      process.kill(Number(this.#pid), "SIGKILL");
    } catch (error) {
      // It has already ended, and its terminal is about to close.
      if (error.code !== "ESRCH") throw error;
    }
    await closed;
  }

  #outputThat(fits, expected) {
    return new Promise((resolve, reject) => {
      const finish = (outcome, value) => {
        clearTimeout(timer);
        this.#onOutput.delete(look);
        this.#child.off("close", onClose);
        outcome(value);
      };
      const look = (output) => fits(output) && finish(resolve, output.at);
      const fail = (why) =>
        finish(reject, new Error(`${why} before ${expected} was seen:\n${this.text().trimEnd()}`));
      const onClose = () => fail("the program ended");
      const timer = setTimeout(fail, TIMEOUT_MS, `${TIMEOUT_MS} ms passed`);
      this.#child.once("close", onClose);
      this.#onOutput.add(look);
    });
  }
}
