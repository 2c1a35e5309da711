import type { VariableSource } from "../domain/source.js";
import { type Child, type Command, refuseNul, startChild, startFailureReporter } from "./child.js";
import {
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
    output?.redact(child, found.variables);
    return child;
  };
  const { watch } = options;
  const exitCode = watch
    ? await withSource(open(), (source) => runUnderWatch(() => read(source), start, watch, context))
    : await start(tellRefused(await withSource(open(), read), context)).exitCode;
  await output?.finish();
  return exitCode;
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
  return runWatched(tellRefused(await read(), context), read, start, rules, context);
}

function tellRefused(found: ChildVariables, context: Context): ChildVariables {
  const { refused } = found;
  if (refused.length > 0)
    context.note(`left out: ${refused.join(", ")}; programs obey what is set there (--allow-reserved passes it on)`);
  return found;
}
