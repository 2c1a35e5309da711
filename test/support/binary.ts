import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** The built command; `npm test` builds it first. */
export const BINARY = fileURLToPath(new URL("../../bin/appvars.cjs", import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts a program with an environment of only PATH, so without a home. */
export function start(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): ChildProcess {
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null", ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs a program until it exits. */
export async function run(
  command: string,
  args: readonly string[],
  env?: Record<string, string>,
): Promise<Finished> {
  const child = start(command, args, env);
  const [stdout, stderr, [code]] = await Promise.all([
    output(child.stdout),
    output(child.stderr),
    once(child, "close"),
  ]);
  return { code, stdout, stderr };
}

/** Runs a script with `appvars` on its path to the built command. */
export function runScript(
  script: string,
  env: Record<string, string> = {},
  shell = "sh",
): Promise<Finished> {
  return run(shell, ["-c", `appvars() { "$NODE" "$BINARY" "$@"; }\n${script}`], {
    NODE: process.execPath,
    BINARY,
    ...env,
  });
}

function output(stream: ChildProcess["stdout"]): Promise<string> {
  return stream ? text(stream) : Promise.resolve("");
}

/** Whether there is a process with this id. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
