import type { Writable } from "node:stream";
import { nameIn, refuseNul } from "../../kit/process/program.js";
import { DEFAULT_CACHE_S } from "../../model/defaults.js";
import { splitNames } from "../../model/name-matcher.js";
import type { VariableSource } from "../../model/source.js";
import { createSelection } from "../selection/selection.js";
import type { SelectionOptions } from "../selection/selection-options.js";
import { readSettings } from "../settings/resolve-settings.js";
import { createStrictCheck } from "../sources/check-source.js";
import { createDecrypt } from "../sources/decryption.js";
import { type OpenOptions, openSource } from "../sources/open-source.js";
import type { Caller } from "../surroundings.js";
import { childEnvironment, readChildVariables, type VariableRules } from "./child-variables.js";
import { refuseReserved, warnLeftOut } from "./left-out.js";

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
