import type { Context } from "../../cli/output/context.js";
import { createBudget } from "../../client/retry.js";
import { loadWindows, startChild } from "../../kit/process/child.js";
import { execve } from "../../kit/process/end-process.js";
import { UsageError } from "../../kit/text/errors.js";
import type { VariableSource } from "../../model/source.js";
import { withSource } from "../sources/open-source.js";
import { type ChildEnvironment, nameIn, type ProgramLine } from "./child-environment.js";
import {
  type ChildVariable,
  type ChildVariables,
  CREDENTIAL_VARIABLES,
  childEnvironment,
  type InheritanceRules,
  inheritedEnvironment,
} from "./child-variables.js";
import {
  type PreparedVariables,
  prepareVariables,
  type VariableFlags,
} from "./prepare-variables.js";
import type { WatchRules } from "./run-watched.js";

/** All flags of `run`, parsed. */
interface RunFlags extends InheritanceRules, VariableFlags {
  redact?: boolean;
  /** Whether the program replaces this process. */
  exec?: boolean;
  /** Seconds between two checks. */
  watch?: number;
  onChange?: WatchRules["onChange"];
}

/** Runs `run`. Resolves to the exit code. @throws as `runProgram` */
export async function callRun(
  command: ProgramLine,
  flags: RunFlags,
  context: Context,
): Promise<number> {
  const { env, platform } = context.io;
  const rules = watchRules(flags, platform);
  const inherited = inheritedEnvironment(env, flags, platform);
  const prepared = await prepareVariables(flags, inherited, context);
  return runProgram(command, inherited, prepared, flags, rules, context);
}

function watchRules(
  { watch: interval, onChange }: RunFlags,
  platform: NodeJS.Platform,
): WatchRules | undefined {
  if (platform === "win32" && onChange !== undefined && onChange !== "restart")
    throw new UsageError("--on-change can't send a signal: Windows has none; use restart");
  if (interval !== undefined) return { interval, onChange: onChange ?? "restart" };
  if (onChange !== undefined) throw new UsageError("--on-change needs --watch");
  return undefined;
}

/**
 * Runs a program with the variables in its environment, until it has ended.
 *
 * @param inherited its environment without them
 * @param watch the action when variables change; none when undefined
 * @returns its exit code, as `Child` has it
 * @throws NotFoundError, DecryptionError, UsageError and the errors of reading the source; nothing
 *   is started then
 */
export async function runProgram(
  command: ProgramLine,
  inherited: ChildEnvironment,
  prepared: PreparedVariables,
  { redact = false, exec = false }: RunFlags,
  watch: WatchRules | undefined,
  context: Context,
): Promise<number> {
  const { platform } = context.io;
  const replace = exec
    ? (await import("./exec-program.js")).execProgram(platform, execve)
    : undefined;
  const budget = createBudget();
  const open = () => prepared.open({ live: watch !== undefined, budget });
  const read = (source: VariableSource) => {
    // With --watch, each reading has the whole time.
    Object.assign(budget, createBudget());
    return prepared.read(source);
  };
  if (replace) {
    const { variables } = await withSource(open(), read);
    return replace(command, childEnvironment(inherited, variables, platform), context);
  }
  const windows = await loadWindows(platform);
  const output = redact
    ? (await import("./redacted-output.js")).createRedactedOutput(context)
    : undefined;
  const start = (found: ChildVariables) => {
    const env = childEnvironment(inherited, found.variables, platform);
    const child = startChild(command, env, context, {
      isPiped: redact,
      endsDescendants: watch !== undefined,
      windows,
    });
    output?.redact(child, [...found.variables, ...inheritedSecrets(found, inherited, platform)]);
    return child;
  };
  const exitCode = watch
    ? await withSource(open(), async (source) => {
        const { runWatched } = await import("./run-watched.js");
        return runWatched(await read(source), () => read(source), start, watch, context);
      })
    : await start(await withSource(open(), read)).exitCode;
  await output?.finish();
  return exitCode;
}

/** Values to redact that the program has from our own environment. */
function inheritedSecrets(
  { taken }: ChildVariables,
  inherited: ChildEnvironment,
  platform: NodeJS.Platform,
): ChildVariable[] {
  const names = [...CREDENTIAL_VARIABLES, ...taken].flatMap(
    (name) => nameIn(inherited, name, platform) ?? [],
  );
  return names.map((name) => ({ name, value: inherited[name] ?? "" }));
}
