import { type ChildProcess, fork } from "node:child_process";
import type { Server } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ToPrimary, ToWorker } from "./messages.js";

// From both src/cluster and dist/cli: a process needs the compiled file.
const PROGRAM = fileURLToPath(new URL("../../dist/cli/worker-process.cjs", import.meta.url));

export interface ProcessOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** Node's own flags. */
  execArgv: readonly string[];
}

interface LinkListeners {
  onMessage: (message: ToPrimary) => void;
  /** Called with each line that the process writes to stderr, such as the stack of an error that ends it. */
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
    const stdio = ["ignore", "ignore", "pipe", "ipc"] as const;
    const child = fork(PROGRAM, [], {
      env,
      execArgv: [...execArgv],
      serialization: "advanced",
      stdio: [...stdio],
      // In a process group of its own: signals such as Ctrl-C are for the primary, and would end it while it starts.
      detached: true,
    });
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

  /** Sends what need not arrive if the worker ends. @param handle of a socket */
  post(message: ToWorker, handle?: object): void {
    this.#process.send(message, handle as Server | undefined, () => {});
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}
