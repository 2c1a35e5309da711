import type { Context } from "../output/context.js";
import { variableKey } from "../processes/child.js";
import type { ChildVariables, VariableRules } from "./child-variables.js";
import { type EnvFileEntry, isPipe, readEnvFiles, warnOfUnsafeEnvFiles } from "./env-files.js";
import { isLeftOut } from "./left-out.js";

/**
 * Adds the values in `--env-file` to those of the environment, which they take precedence over. They have no prefix, and
 * are not subject to `--only`. The files are read anew each time.
 *
 * @param readOthers reads the environment's variables
 * @throws UsageError that names a file that can't be read
 */
export type AddEnvFiles = (
  rules: VariableRules,
  readOthers: (rules: VariableRules) => Promise<ChildVariables>,
) => Promise<ChildVariables>;

/** Warns of files that another user can change. */
export function addEnvFiles(files: readonly string[], context: Context): AddEnvFiles {
  warnOfUnsafeEnvFiles(files, context);
  const { platform } = context.io;
  let fromPipes: Map<string, EnvFileEntry> | undefined;
  return async (rules, readOthers) => {
    const entries = fromPipes ?? (await readEnvFiles(files, platform));
    // A pipe can be read only once.
    if (files.some(isPipe)) fromPipes = entries;
    const isInFile = (name: string) => entries.has(variableKey(name, platform));
    const others = await readOthers({ ...rules, isTaken: (name) => isInFile(name) || rules.isTaken(name) });
    const own = [...entries.values()];
    const free = own.filter(({ name }) => !rules.isTaken(name));
    const isOut = ({ name }: EnvFileEntry) => isLeftOut(name, rules.allowReserved);
    const passed = free.filter((entry) => !isOut(entry)).map(({ name, value }) => ({ name, value }));
    return {
      variables: [...others.variables, ...passed],
      leftOut: [...others.leftOut, ...free.filter(isOut).map(({ name }) => name)],
      taken: [...new Set([...others.taken, ...own.map(({ name }) => name)])].filter(rules.isTaken),
    };
  };
}
