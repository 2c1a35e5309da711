import { type Budget, createBudget } from "../../client/retry.js";
import type { VariableSource } from "../../domain/source.js";
import { loadWindows, startChild } from "../children/child.js";
import { nameIn, type ProgramLine, refuseNul } from "../children/child-environment.js";
import { execve } from "../exits/end-process.js";
import type { Context } from "../output/context.js";
import type { Decrypt } from "../reading/decryption.js";
import { withSource } from "../reading/open-source.js";
import type { Selection } from "../selection/selection.js";
import {
  type ChildVariable,
  type ChildVariables,
  CREDENTIAL_VARIABLES,
  childEnvironment,
  type InheritanceRules,
  inheritedEnvironment,
  readChildVariables,
  type VariableRules,
} from "./child-variables.js";
import { refuseReserved, warnLeftOut } from "./left-out.js";
import type { WatchRules } from "./run-watched.js";

/** The flags of `run`, parsed. */
export interface RunOptions extends InheritanceRules {
  prefix?: string;
  /** Dotenv files with values that take precedence over the environment's. */
  envFile?: readonly string[];
  /** Reserved names, with the prefix, that the program gets. */
  allowReserved?: readonly string[];
  /** Whether our own environment takes precedence over the variables. */
  preserveEnv?: boolean;
  redact?: boolean;
  /** Whether the program replaces this process. */
  exec?: boolean;
}

/**
 * Runs a program with the variables in its environment, until it has ended.
 *
 * @param watch the action when variables change; none when undefined
 * @returns its exit code, as `Child` has it
 * @throws NotFoundError, DecryptionError, UsageError and the errors of reading the source; nothing is started then
 */
export async function runProgram(
  command: ProgramLine,
  selection: Selection,
  options: RunOptions,
  watch: WatchRules | undefined,
  open: (budget: Budget) => Promise<VariableSource>,
  decrypt: Decrypt,
  context: Context,
): Promise<number> {
  const { platform } = context.io;
  const inherited = inheritedEnvironment(context.io.env, options, platform);
  const isInherited = (name: string) => nameIn(inherited, name, platform) !== undefined;
  const { prefix = "", envFile: envFiles = [], allowReserved = [], preserveEnv = false, redact = false } = options;
  const isTaken = (name: string) => preserveEnv && isInherited(name);
  const rules = { selection, prefix, allowReserved, isTaken };
  const asked = selection.named.map((name) => prefix + name);
  refuseReserved(
    asked.filter((name) => !isTaken(name)),
    allowReserved,
  );
  const replace = options.exec ? (await import("./exec-program.js")).execProgram(platform, execve) : undefined;
  const addEnvFiles = envFiles.length > 0 ? (await import("./env-files.js")).addEnvFiles(envFiles, context) : undefined;
  const budget = createBudget();
  let knownLeftOut: readonly string[] = [];
  const read = async (source: VariableSource) => {
    // With --watch, each reading has the whole time.
    Object.assign(budget, createBudget());
    const readVariables = (wanted: VariableRules) => readChildVariables(wanted, source, decrypt);
    const found = await (addEnvFiles ? addEnvFiles(rules, readVariables) : readVariables(rules));
    refuseNul(childEnvironment({}, found.variables, platform));
    // With --watch, only about names that the reading before did not leave out.
    const newlyLeftOut = found.leftOut.filter((name) => !knownLeftOut.includes(name));
    warnLeftOut(newlyLeftOut, context);
    knownLeftOut = found.leftOut;
    return found;
  };
  if (replace) {
    const { variables } = await withSource(open(budget), read);
    return replace(command, childEnvironment(inherited, variables, platform), context);
  }
  const windows = await loadWindows(platform);
  const output = redact ? (await import("./redacted-output.js")).createRedactedOutput(context) : undefined;
  const start = (found: ChildVariables) => {
    const env = childEnvironment(inherited, found.variables, platform);
    const child = startChild(command, env, context, { isPiped: redact, endsDescendants: watch !== undefined, windows });
    output?.redact(child, [...found.variables, ...inheritedSecrets(found, inherited, platform)]);
    return child;
  };
  const exitCode = watch
    ? await withSource(open(budget), async (source) => {
        const { runWatched } = await import("./run-watched.js");
        return runWatched(await read(source), () => read(source), start, watch, context);
      })
    : await start(await withSource(open(budget), read)).exitCode;
  await output?.finish();
  return exitCode;
}

/** Values to redact that the program has from our own environment. */
function inheritedSecrets(
  { taken }: ChildVariables,
  inherited: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): ChildVariable[] {
  const names = [...CREDENTIAL_VARIABLES, ...taken].flatMap((name) => nameIn(inherited, name, platform) ?? []);
  return names.map((name) => ({ name, value: inherited[name] ?? "" }));
}
