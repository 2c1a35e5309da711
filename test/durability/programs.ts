import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface ProgramOptions extends SpawnOptions {
  /** A command that runs the program, with its arguments: `["prlimit", "--fsize=1"]`. */
  through?: readonly string[];
}

export interface Program {
  /** The lines that it has printed so far. */
  readonly lines: readonly string[];
  /** Resolves to the first line that it prints; fails when it ends without one. */
  readonly firstLine: Promise<string>;
  /** Resolves to its exit code, null when it was killed, after its last line is in `lines`. */
  readonly ended: Promise<number | null>;
  kill(): void;
  send(signal: NodeJS.Signals): void;
}

/** Starts a script of this folder, killed when the current test ends. It runs the built code. */
export function startProgram(
  script: "writer.mjs" | "server.mjs",
  args: readonly string[],
  { through = [], ...options }: ProgramOptions = {},
): Program {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const [command = process.execPath, ...rest] = [...through, process.execPath, path, ...args];
  const child = spawn(command, rest, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => void child.kill("SIGKILL");
  onTestFinished(kill);

  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const ended = once(child, "close").then(([code]) => code as number | null);
  const firstLine = Promise.race([
    once(reader, "line").then(([line]) => line as string),
    ended.then((code) =>
      Promise.reject(new Error(`${script} ended with ${code} and printed nothing`)),
    ),
  ]);
  // A test that kills it early does not wait for its first line.
  firstLine.catch(() => {});
  return { lines, firstLine, ended, kill, send: (signal) => void child.kill(signal) };
}

/** Runs a writer to its end: its exit code and all that it printed. */
export async function runWriter(
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<{ code: number | null; lines: readonly string[] }> {
  const { ended, lines } = startProgram("writer.mjs", args, options);
  return { code: await ended, lines };
}
