import type { VariableSource } from "../domain/source.js";
import { type Child, type Command, refuseNul, startChild, startFailureReporter } from "./child.js";
import {
  type ChildVariable,
  type ChildVariables,
  childEnvironment,
  inheritedEnvironment,
  readChildVariables,
  type VariableRules,
} from "./child-variables.js";
import { type Context, withSource } from "./context.js";
import type { Decrypt } from "./decryption.js";
import type { RedactedOutput } from "./redacted-output.js";
import type { WatchRules } from "./run-watched.js";

export interface RunOptions extends Omit<VariableRules, "isTaken"> {
  command: Command;
  /** Whether what is set already in our environment wins over the variables. */
  preserveEnv: boolean;
  /** Whether the program gets nothing of our environment but PATH. */
  pristine: boolean;
  /** Whether values are struck out from the program's output. */
  redact: boolean;
  /** What is done when variables change; nothing when undefined. */
  watch: WatchRules | undefined;
}

/**
 * Runs a program with the variables in its environment, to its end.
 *
 * @returns its exit code, as {@link Child} has it
 * @throws NotFoundError, DecryptionError, UsageError and what reading the source throws; nothing is started then
 */
export async function runProgram(
  options: RunOptions,
  open: () => Promise<VariableSource>,
  decrypt: Decrypt,
  context: Context,
): Promise<number> {
  const inherited = inheritedEnvironment(context.io.env, options.pristine);
  const rules = { ...options, isTaken: (name: string) => options.preserveEnv && Object.hasOwn(inherited, name) };
  const read = async (source: VariableSource) => readHoldable(rules, source, decrypt);
  const output = options.redact ? await redactedOutput(context) : undefined;
  const start = (found: ChildVariables) => {
    const child = startWith(found, inherited, options, context);
    output?.redact(child, [...found.variables, ...otherSecrets(found, inherited)]);
    return child;
  };
  const { watch } = options;
  const tellRefused = refusedTeller(context);
  const readAndTell = async (source: VariableSource) => tellRefused(await read(source));
  const exitCode = watch
    ? await withSource(open(), (source) => runUnderWatch(() => readAndTell(source), start, watch, context))
    : await start(await withSource(open(), readAndTell)).exitCode;
  await output?.finish();
  return exitCode;
}

/** What the program's environment has from ours, and is not meant to be seen either. */
function otherSecrets({ taken }: ChildVariables, inherited: Readonly<Record<string, string>>): ChildVariable[] {
  const names = ["APPVARS_API_SECRET", "APPVARS_ENC_KEY", ...taken];
  return names.flatMap((name) => (Object.hasOwn(inherited, name) ? [{ name, value: inherited[name] ?? "" }] : []));
}

async function redactedOutput(context: Context): Promise<RedactedOutput> {
  const { createRedactedOutput } = await import("./redacted-output.js");
  return createRedactedOutput(context);
}

async function readHoldable(rules: VariableRules, source: VariableSource, decrypt: Decrypt): Promise<ChildVariables> {
  const found = await readChildVariables(rules, source, decrypt);
  refuseNul(childEnvironment({}, found.variables));
  return found;
}

function startWith(
  { variables }: ChildVariables,
  inherited: Record<string, string>,
  { command, redact }: RunOptions,
  context: Context,
): Child {
  const onFailure = startFailureReporter(context);
  return startChild(command, childEnvironment(inherited, variables), { onFailure, isPiped: redact });
}

async function runUnderWatch(
  read: () => Promise<ChildVariables>,
  start: (found: ChildVariables) => Child,
  rules: WatchRules,
  context: Context,
): Promise<number> {
  const { runWatched } = await import("./run-watched.js");
  return runWatched(await read(), read, start, rules, context);
}

/** Tells of the names that are left out and were not the last time. */
function refusedTeller({ note }: Context): (found: ChildVariables) => ChildVariables {
  let known: string[] = [];
  return (found) => {
    const names = found.refused.filter((name) => !known.includes(name));
    known = found.refused;
    if (names.length > 0)
      note(`left out: ${names.join(", ")}; programs obey what is set there (--allow-reserved passes it on)`);
    return found;
  };
}
