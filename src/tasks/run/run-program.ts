import { createBudget } from "../../client/retry.js";
import { loadWindowsSupport, startChild } from "../../kit/process/child.js";
import type { ProgramLine } from "../../kit/process/program.js";
import { execve } from "../../kit/process/signals.js";
import { UsageError } from "../../kit/text/errors.js";
import type { VariableSource } from "../../model/reads/read.js";
import { withSource } from "../sources/open-source.js";
import {
  type ChildVariables,
  type InheritanceOptions,
  inheritedEnvironment,
} from "./child-environment.js";
import {
  type PreparedVariables,
  prepareVariables,
  type RunCaller,
  type VariableFlags,
} from "./prepare-variables.js";
import type { WatchRules } from "./run-watched.js";

interface RunFlags extends InheritanceOptions, VariableFlags {
  redact?: boolean;
  /** Whether to replace this process by the program. */
  exec?: boolean;
  /** Seconds between two checks. */
  watch?: number;
  onChange?: WatchRules["onChange"];
}

export async function runFromFlags(
  command: ProgramLine,
  flags: RunFlags,
  caller: RunCaller,
): Promise<number> {
  const { env, platform } = caller.surroundings;
  const { watch: interval, onChange = "restart" } = flags;
  if (platform === "win32" && onChange !== "restart")
    throw new UsageError("--on-change can't send a signal: Windows has none; use restart");
  if (flags.onChange !== undefined && interval === undefined)
    throw new UsageError("--on-change needs --watch");
  const watch = interval === undefined ? undefined : { interval, onChange };
  const inherited = inheritedEnvironment(env, flags, platform);
  const prepared = await prepareVariables(flags, inherited, caller);
  return runProgram({ ...flags, command, prepared, watch }, caller);
}

export interface Run extends Pick<RunFlags, "redact" | "exec"> {
  command: ProgramLine;
  prepared: PreparedVariables;
  /** `undefined` to ignore changes of variables. */
  watch: WatchRules | undefined;
}

/**
 * Runs a program with the variables in its environment, and resolves to its
 * exit code.
 *
 * @throws StartError
 */
export async function runProgram(run: Run, caller: RunCaller): Promise<number> {
  const { command, prepared, watch } = run;
  const { platform } = caller.surroundings;
  const exec = run.exec ? await import("./exec-program.js") : undefined;
  const replace = exec?.requireExecve(platform, execve);
  const budget = createBudget();
  const open = () => prepared.open({ live: watch !== undefined, budget });
  const read = (source: VariableSource) => {
    // With --watch, each read has the whole budget.
    Object.assign(budget, createBudget());
    return prepared.read(source);
  };
  if (exec && replace) {
    const { env } = await withSource(open(), read);
    return exec.execProgram(command, env, caller, replace);
  }
  const { start, finish } = await createStarter(run, caller);
  try {
    if (!watch) return await start(await withSource(open(), read)).exitCode;
    return await withSource(open(), async (source) => {
      const { runWatched } = await import("./run-watched.js");
      return runWatched(await read(source), () => read(source), start, watch, caller);
    });
  } finally {
    await finish();
  }
}

/** `finish` waits for redacted output. */
async function createStarter({ command, redact, watch }: Run, caller: RunCaller) {
  const { surroundings, warn } = caller;
  const options = {
    isPiped: redact === true,
    endsDescendants: watch !== undefined,
    windows: await loadWindowsSupport(surroundings.platform),
  };
  const output = redact
    ? (await import("./redacted-output.js")).createRedactedOutput(caller)
    : undefined;
  const start = (read: ChildVariables) => {
    const child = startChild(command, read.env, { ...surroundings, warn }, options);
    output?.redact(child, read);
    return child;
  };
  return { start, finish: async () => output?.finish() };
}
