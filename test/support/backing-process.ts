import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { isInstalled, missing, type NeededProgram } from "./needed-program.js";

export interface BackingProcessOptions {
  readonly program: NeededProgram;
  readonly args: readonly string[];
  /** A command that runs the program in its own process, with its arguments. */
  readonly through?: readonly string[] | undefined;
  /** Part of the line on stdout or stderr that says that it is ready. */
  readonly ready: string;
  /** Its stdin. */
  readonly input?: string;
}

/** A server that tests start, stop and start again. It dies with the process of the tests. */
export class BackingProcess {
  readonly #options: BackingProcessOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #isPaused = false;

  constructor(options: BackingProcessOptions) {
    this.#options = options;
  }

  /** Whether it runs and is not paused. */
  get answers(): boolean {
    return this.#child !== undefined && !this.#isPaused;
  }

  /** Of the program itself; undefined if it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Resolves once it is ready; a member of a cluster is once there is a leader.
   *
   * @throws AddressInUseError
   */
  async start(): Promise<void> {
    if (this.#child) throw new Error(`${this.#options.program} runs already`);
    const { program, args, through = [], ready, input = "" } = this.#options;
    if (!isInstalled(program)) throw new Error(missing(program));
    const [command, ...words] = [...dyingWithParent(), ...through, program, ...args] as [
      string,
      ...string[],
    ];
    const child = spawn(command, words, {
      env: { PATH: process.env["PATH"] ?? "" },
      stdio: "pipe",
    });
    this.#child = child;
    this.#isPaused = false;
    child.stdin.on("error", () => {}).end(input);
    const lines: string[] = [];
    const isReady = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on("line", (line) => {
          // Only the last lines tell why it ended.
          if (lines.push(line) > 20) lines.shift();
          if (line.includes(ready)) resolve();
        });
      }
    });
    // The worker of a Vitest that was killed lives on until its test ends.
    const kill = () => void child.kill("SIGKILL");
    process.once("disconnect", kill);
    this.#ended = once(child, "close").finally(() => {
      process.off("disconnect", kill);
      if (this.#child === child) this.#child = undefined;
    });
    const hasEnded = this.#ended.then(() => Promise.reject(startError(program, lines)));
    await Promise.race([isReady, hasEnded]);
  }

  /** SIGKILL. Resolves once it is gone. */
  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
  }

  /** SIGTERM. Resolves once it is gone. */
  async stop(): Promise<void> {
    this.#child?.kill("SIGTERM");
    this.resume();
    await this.#ended;
  }

  /** SIGSTOP: its connections stay open and are not answered. */
  pause(): void {
    this.#isPaused = true;
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#isPaused = false;
    this.#child?.kill("SIGCONT");
  }
}

class AddressInUseError extends Error {}

function startError(program: string, lines: readonly string[]): Error {
  const text = lines.join("\n");
  if (/address already in use/i.test(text)) return new AddressInUseError(text);
  return new Error(`${program} ended: ${text || "it printed nothing"}`);
}

let hasDeathSignal: boolean | undefined;

/**
 * Words before a command line, so that the system kills it together with its parent. None where it
 * can't do that.
 */
function dyingWithParent(): string[] {
  const words = ["setpriv", "--pdeathsig", "KILL"];
  hasDeathSignal ??= spawnSync("setpriv", [...words.slice(1), "true"]).status === 0;
  return hasDeathSignal ? words : [];
}

// Below the ports of outgoing connections: no other program takes the port of one that is down for
// a while.
const FIRST_PORT = 15_000;
const PORTS = 15_000;

/** Ports on which nothing listens; something may by the time they are used. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  return once(server, "listening").then(
    async () => {
      server.close();
      await once(server, "close");
      return true;
    },
    () => false,
  );
}

const ATTEMPTS = 10;

/**
 * Calls `start` with free ports, and again with others if something else listens on one of them by
 * then.
 */
export async function onFreePorts<T>(
  count: number,
  start: (ports: number[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePorts(count));
    } catch (error) {
      if (!(error instanceof AddressInUseError) || attempt === ATTEMPTS) throw error;
    }
  }
}
