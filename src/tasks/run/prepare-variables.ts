import type { Writable } from "node:stream";
import { nameIn, refuseNul, variableKey } from "../../kit/process/program.js";
import { DEFAULT_CACHE_S } from "../../model/defaults.js";
import { splitNames } from "../../model/name-matcher.js";
import type { VariableSource } from "../../model/source.js";
import { isUnreadable } from "../../model/variable.js";
import { createSelection, readSelected, type Selection } from "../selection/selection.js";
import type { SelectionOptions } from "../selection/selection-options.js";
import { readSettings } from "../settings/resolve-settings.js";
import { createStrictCheck } from "../sources/check-source.js";
import { createDecrypt, type Decrypt } from "../sources/decryption.js";
import { type OpenOptions, openSource } from "../sources/open-source.js";
import type { Caller } from "../surroundings.js";
import { type ChildVariables, childEnvironment, type FileVariables } from "./child-environment.js";
import { isLeftOut, refuseReserved, warnLeftOut } from "./left-out.js";

/** The parsed flags that select the source and the variables that a program gets. */
export interface VariableFlags extends SelectionOptions {
  prefix?: string | undefined;
  /** Dotenv files with values that take precedence over the environment's. */
  envFile?: readonly string[] | undefined;
  /** Reserved names, with the prefix, that the program gets. */
  allowReserved?: readonly string[] | undefined;
  /** Whether our own environment takes precedence over the variables. */
  preserveEnv?: boolean | undefined;
  strict?: boolean | undefined;
  /** Seconds; true for the default. */
  cache?: number | boolean | undefined;
  offline?: boolean | undefined;
}

/** The caller of `run`, whose program has these streams. */
export interface RunCaller extends Caller {
  readonly io: { readonly stdout: Writable; readonly stderr: Writable };
}

export type PreparedVariables = Awaited<ReturnType<typeof prepareVariables>>;

/**
 * Prepares to open the source and to read from it the variables that a program gets.
 *
 * @param inherited the environment that the program has without them
 * @throws UsageError
 */
export async function prepareVariables(
  flags: VariableFlags,
  inherited: Readonly<Record<string, unknown>>,
  caller: Caller,
) {
  const { prefix = "", allowReserved = [], preserveEnv = false, offline } = flags;
  const { platform } = caller.surroundings;
  const settings = readSettings({ ...flags }, caller);
  const findProblems = await createStrictCheck(flags.strict, settings);
  const project = flags.only ? undefined : settings.find("only");
  const only = flags.only ?? (project && splitNames(project.text));
  const named = flags.envFile?.map((text) => ({
    text,
    from: "--env-file",
    origin: "flag" as const,
  }));
  const envFiles = named ?? [settings.find("envFile") ?? []].flat();
  const selection = createSelection({ ...flags, only, findProblems }, caller);
  const decrypt = await createDecrypt(settings);
  const isTaken = (name: string) => preserveEnv && nameIn(inherited, name, platform) !== undefined;
  const asked = selection.named.map((name) => prefix + name).filter((name) => !isTaken(name));
  refuseReserved(asked, allowReserved);
  const readFiles =
    envFiles.length > 0 && (await import("./env-files.js")).envFileReader(envFiles, caller);
  const rules: VariableRules = { selection, prefix, allowReserved, isTaken };
  let noted = "";
  const read = async (source: VariableSource) => {
    const files = readFiles ? await readFiles() : new Map();
    const variables = await readChildVariables(rules, files, platform, source, decrypt);
    refuseNul(childEnvironment({}, variables.variables, platform));
    // With --watch, only when other names are left out.
    if (String(variables.leftOut) !== noted) warnLeftOut(variables.leftOut, caller);
    noted = String(variables.leftOut);
    return variables;
  };
  const age = flags.cache || offline;
  const cache = age === true ? DEFAULT_CACHE_S : age || undefined;
  const open = (options?: OpenOptions) =>
    openSource(settings, caller, { cache, offline, ...options });
  return { rules, open, read };
}

/** Which variables a program gets, and under which names. */
export interface VariableRules {
  /** Their names do not have the prefix yet. */
  selection: Selection;
  prefix: string;
  allowReserved: readonly string[];
  /** Whether the program has this name, with the prefix, from elsewhere, which takes precedence. */
  isTaken: (name: string) => boolean;
}

/**
 * Reads the variables for a program, and decrypts only those.
 *
 * @param files take precedence, have no prefix, and are not subject to `--only`
 * @throws DecryptionError; NotFoundError and UsageError, as `Selection`
 */
async function readChildVariables(
  { selection, prefix, allowReserved, isTaken }: VariableRules,
  files: FileVariables,
  platform: NodeJS.Platform,
  source: VariableSource,
  decrypt: Decrypt,
): Promise<ChildVariables> {
  const isInFile = (name: string) => files.has(variableKey(name, platform));
  const selected = await readSelected(selection, source, {
    isTaken: (newName) => isInFile(prefix + newName) || isTaken(prefix + newName),
  });
  const served = selected
    .map(({ newName, ...stored }) => ({ name: prefix + newName, stored }))
    .filter(({ name }) => !isInFile(name));
  const all = [...served, ...files.values()];
  const free = all.filter(({ name }) => !isTaken(name));
  const isOut = ({ name }: { name: string }) => isLeftOut(name, allowReserved);
  const passed = free.filter((entry) => !isOut(entry));
  return {
    variables: passed.map((entry) => {
      if (!("stored" in entry)) return entry;
      const { name, value, rules } = entry.stored;
      const isText = isUnreadable(value);
      return { name: entry.name, value: decrypt(name, value), isText, rules };
    }),
    leftOut: free.filter(isOut).map(({ name }) => name),
    taken: all.map(({ name }) => name).filter(isTaken),
  };
}
