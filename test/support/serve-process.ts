import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { BINARY } from "./binary.js";

export interface ServeProcessOptions {
  env?: Record<string, string>;
  /** A command that runs the server, with its arguments: `["prlimit", "--nofile=64"]`. */
  through?: readonly string[];
  /** Node's own flags. */
  execArgv?: readonly string[];
  /** Descriptors of this process that the server gets as 3, 4 and so on. */
  descriptors?: readonly number[];
}

export interface ServeProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
  /** Everything that it has written to stderr, and to stdout. */
  log(): string;
  output(): string;
  /** Resolves to its exit code, or the signal that has ended it. */
  readonly ended: Promise<number | string>;
  /** Sends SIGTERM, and resolves to the same. */
  stop(): Promise<number | string>;
}

/**
 * `serve` on a free port, in a process that is killed when the current test ends. Resolves once it
 * serves.
 */
export async function serveProcess(
  args: readonly string[],
  options: ServeProcessOptions = {},
): Promise<ServeProcess> {
  const process = startServe(args, options);
  await Promise.race([once(process.child.stdout ?? process.child, "data"), process.ended]);
  const port = Number(/:(\d+)['"]?$/m.exec(process.output())?.[1]);
  if (Number.isNaN(port))
    throw new Error(`serve ended with ${await process.ended}: ${process.log()}`);
  return { ...process, port };
}

/** The same, before it serves. */
export function startServe(
  args: readonly string[],
  { env = {}, through = [], execArgv = [], descriptors = [] }: ServeProcessOptions = {},
): Omit<ServeProcess, "port"> {
  const words = [
    ...through,
    process.execPath,
    ...execArgv,
    BINARY,
    "serve",
    "--port",
    "0",
    ...args,
  ];
  const stdio: StdioOptions = ["ignore", "pipe", "pipe", ...descriptors];
  const child = spawn(words[0] as string, words.slice(1), {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null", ...env },
    stdio,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
    });
  }
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  return {
    child,
    pid: child.pid ?? 0,
    log: () => written.stderr,
    output: () => written.stdout,
    ended,
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
