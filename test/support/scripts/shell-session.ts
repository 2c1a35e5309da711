import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { shellWord } from "../../../src/kit/text/shell.js";
import { BINARY } from "../binary.js";
import type { Output, Session, SessionOptions } from "./session.js";

interface Background {
  child: ChildProcess;
  closed: Promise<number>;
  /** Its output since the last call. */
  unread: { stdout: string; stderr: string };
}

/**
 * Reads process groups, and kills them when its input ends: at the end of a session, and also when
 * the tests were ended by Ctrl-C or a crash.
 */
const KILLER =
  'while read -r group; do groups="$groups $group"; done; for group in $groups; do kill -9 "-$group"; done';

/** One shell that is given commands one after another: variables, functions and the folder stay. */
export class ShellSession implements Session {
  readonly #shell: ChildProcess;
  readonly #ended: Promise<number>;
  readonly #replies: AsyncIterator<string>;
  readonly #output: string;
  readonly #background: Background[] = [];
  readonly #killer = spawn("sh", ["-c", KILLER], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });

  /** Opens a shell with `appvars` and this `node` on its path. */
  static async open({ folder, spare, env }: SessionOptions): Promise<ShellSession> {
    const bin = join(spare, "bin");
    await mkdir(bin);
    const appvars = `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(BINARY)} "$@"\n`;
    await writeFile(join(bin, "appvars"), appvars, { mode: 0o755 });
    await symlink(process.execPath, join(bin, "node"));
    return new ShellSession({
      folder,
      spare,
      env: { PATH: `${bin}:${process.env["PATH"]}`, ...env },
    });
  }

  constructor({ folder, env, spare }: SessionOptions) {
    // Fd 3 reports the end of a command; its output is in files, since programs left running keep a
    // pipe open.
    const stdio = ["pipe", "ignore", "ignore", "pipe"] as const;
    this.#shell = spawn("sh", [], { cwd: folder, env, detached: true, stdio: [...stdio] });
    this.#shell.stdin?.on("error", () => {});
    this.#killer.stdin?.write(`${this.#shell.pid}\n`);
    this.#ended = exitCode(this.#shell, "exit");
    this.#replies = createInterface(this.#shell.stdio[3] as Readable)[Symbol.asyncIterator]();
    this.#output = spare;
  }

  get hasEnded(): boolean {
    return this.#shell.exitCode !== null || this.#shell.signalCode !== null;
  }

  /** Runs a command to its end. Where it ends the shell itself, the code is the shell's. */
  async run(command: string): Promise<Output> {
    const [stdout, stderr] = ["stdout", "stderr"].map((name) => join(this.#output, name)) as [
      string,
      string,
    ];
    const redirections = `>${shellWord(stdout)} 2>${shellWord(stderr)} </dev/null 3>&-`;
    this.#shell.stdin?.write(`eval ${shellWord(command)} ${redirections}; echo "$?" >&3\n`);
    const reply = await Promise.race([this.#replies.next(), this.#ended]);
    const code = typeof reply === "object" && !reply.done ? Number(reply.value) : await this.#ended;
    return { code, stdout: await readFile(stdout, "utf8"), stderr: await readFile(stderr, "utf8") };
  }

  /**
   * Starts a program in the background, and waits until it has printed or ended. `export` lines are
   * taken in.
   */
  async start(command: string): Promise<Output> {
    // As commands that restore them, which sh prints itself.
    const place = await this.run("export -p; echo 'cd \"$PWD\"'");
    if (this.hasEnded) return place;
    const child = spawn("sh", ["-c", `${place.stdout}exec ${command}`], {
      env: {},
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#killer.stdin?.write(`${child.pid}\n`);
    const started: Background = {
      child,
      closed: exitCode(child, "close"),
      unread: { stdout: "", stderr: "" },
    };
    this.#background.push(started);
    const code = await Promise.race([hasPrinted(started), started.closed]);
    const output = read(started, code);
    const exports = output.stdout.match(/^export .*$/gm);
    if (exports) await this.run(exports.join("\n"));
    return output;
  }

  /**
   * Sends a signal to the program started last, and waits for its end. Returns its output since its
   * start.
   */
  async stop(signal: NodeJS.Signals): Promise<Output> {
    const last = this.#background.pop();
    if (!last) throw new Error("nothing runs in the background");
    last.child.kill(signal);
    return read(last, await last.closed);
  }

  /** Kills the shell and everything started in it. */
  async close(): Promise<void> {
    this.#killer.stdin?.end();
    await Promise.all([this.#ended, ...this.#background.map(({ closed }) => closed)]);
  }
}

function exitCode(child: ChildProcess, event: "exit" | "close"): Promise<number> {
  return once(child, event).then(
    ([code, signal]) => code ?? 128 + constants.signals[signal as NodeJS.Signals],
  );
}

/** Collects the output. Resolves once there is a whole line on stdout. */
function hasPrinted({ child, unread }: Background): Promise<undefined> {
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    unread.stderr += text;
  });
  return new Promise((resolve) => {
    child.stdout?.setEncoding("utf8").on("data", async (text) => {
      unread.stdout += text;
      // Earlier text on stderr may arrive later.
      await setImmediate();
      if (unread.stdout.endsWith("\n")) resolve(undefined);
    });
  });
}

function read({ unread }: Background, code: number | undefined): Output {
  const { stdout, stderr } = unread;
  unread.stdout = unread.stderr = "";
  return { stdout, stderr, code };
}
