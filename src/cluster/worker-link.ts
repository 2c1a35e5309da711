import type { ChildProcess } from "node:child_process";
import cluster from "node:cluster";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ToPrimary, ToWorker } from "./worker-messages.js";

// From both src/cluster and dist/cli: a process needs the compiled file.
const PROGRAM = fileURLToPath(new URL("../../dist/cli/worker-process.cjs", import.meta.url));

export interface ProcessOptions {
  /** Added to the environment of this process; undefined removes a variable. */
  env: Readonly<Record<string, string | undefined>>;
  /** Node's own flags. */
  execArgv: readonly string[];
}

interface LinkListeners {
  onMessage: (message: ToPrimary) => void;
  /**
   * Called with each line that the process writes to stderr, such as the stack of an error that
   * ends it.
   */
  onErrorLine: (line: string) => void;
  /** @param reason `exit code 1` or `SIGKILL` */
  onEnd: (reason: string) => void;
}

/** The primary's end of a worker process. */
export class WorkerLink {
  /** Whether it serves requests. */
  isReady = false;
  readonly #process: ChildProcess;

  constructor({ env, execArgv }: ProcessOptions, { onMessage, onErrorLine, onEnd }: LinkListeners) {
    // Each worker accepts connections itself: passed on by the primary, one would cost more than an
    // answer.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      exec: PROGRAM,
      args: [],
      execArgv: [...execArgv],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    const child = cluster.fork(env).process;
    this.#process = child;
    child.on("message", (message) => onMessage(message as ToPrimary));
    if (child.stderr) createInterface(child.stderr).on("line", onErrorLine);
    let isEnded = false;
    const end = (reason: string) => {
      if (isEnded) return;
      isEnded = true;
      onEnd(reason);
    };
    // After its last message and line, unlike "exit".
    child.once("close", (code, signal) => end(signal ?? `exit code ${code}`));
    // It could not be started, or a message not be sent.
    child.on("error", (error) => child.pid === undefined && end(error.message));
  }

  /** Sends a message that need not arrive if the worker ends. */
  post(message: ToWorker): void {
    this.#process.send(message, () => {});
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}
