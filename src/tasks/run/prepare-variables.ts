import type { Writable } from "node:stream";
import {
  type ChildEnvironment,
  nameIn,
  refuseNul,
  variableKey,
} from "../../kit/process/program.js";
import { DEFAULT_CACHE_AGE_S } from "../../model/defaults.js";
import { splitNames } from "../../model/name-matcher.js";
import type { VariableSource } from "../../model/reads/read.js";
import { isUnreadable } from "../../model/variable.js";
import { isLeftOut, refuseReserved, warnLeftOut } from "../selection/left-out.js";
import { createSelection, readSelected, type Selection } from "../selection/selection.js";
import type { SelectionOptions } from "../selection/selection-options.js";
import { readSettings } from "../settings/resolve-settings.js";
import { createStrictCheck } from "../sources/check-source.js";
import { createDecrypt, type Decrypt } from "../sources/decryption.js";
import { type OpenOptions, openSource } from "../sources/open-source.js";
import type { Caller } from "../surroundings.js";
import { type ChildVariables, childEnvironment, type FileVariables } from "./child-environment.js";

export interface VariableFlags extends SelectionOptions {
  prefix?: string | undefined;
  /** Dotenv files. Their values take precedence over the source. */
  envFile?: readonly string[] | undefined;
  /** Reserved names, with the prefix, that the program gets. */
  allowReserved?: readonly string[] | undefined;
  /** Whether our environment takes precedence. */
  preserveEnv?: boolean | undefined;
  strict?: boolean | undefined;
  /** Seconds; true for the default. */
  cache?: number | boolean | undefined;
  offline?: boolean | undefined;
}

/** A caller whose program gets these streams. */
export interface RunCaller extends Caller {
  readonly io: { readonly stdout: Writable; readonly stderr: Writable };
}

export type PreparedVariables = Awaited<ReturnType<typeof prepareVariables>>;

/**
 * Prepares to open the source, and to read the variables of a program.
 *
 * @param inherited the environment of the program without these variables
 */
export async function prepareVariables(
  flags: VariableFlags,
  inherited: ChildEnvironment,
  caller: Caller,
) {
  const { prefix = "", allowReserved = [], preserveEnv = false, offline } = flags;
  const { platform } = caller.surroundings;
  const settings = readSettings({ ...flags }, caller);
  const findProblems = await createStrictCheck(flags.strict, settings);
  const project = flags.only ? undefined : settings.find("only");
  const only = flags.only ?? (project && splitNames(project.text));
  const envFiles =
    flags.envFile?.map((text) => ({ text, from: "--env-file", origin: "flag" })) ??
    [settings.find("envFile") ?? []].flat();
  const selection = createSelection({ ...flags, only, findProblems }, caller);
  const decrypt = await createDecrypt(settings);
  const isSetElsewhere = (name: string) =>
    preserveEnv && nameIn(inherited, name, platform) !== undefined;
  const asked = selection.named
    .map((name) => prefix + name)
    .filter((name) => !isSetElsewhere(name));
  refuseReserved(asked, allowReserved);
  const readFiles =
    envFiles.length > 0 && (await import("./env-files.js")).envFileReader(envFiles, caller);
  const rules: VariableRules = {
    selection,
    prefix,
    allowReserved,
    isSetElsewhere,
    decrypt,
    platform,
  };
  let warnedOf = "";
  const read = async (source: VariableSource): Promise<ChildVariables> => {
    const files = readFiles ? await readFiles() : new Map();
    const found = await readChildVariables(rules, files, source);
    const env = childEnvironment(inherited, found.variables, platform);
    refuseNul(env);
    // With --watch, only when other names are left out.
    if (String(found.leftOut) !== warnedOf) warnLeftOut(found.leftOut, caller);
    warnedOf = String(found.leftOut);
    return { ...found, env };
  };
  const age = flags.cache || offline;
  const cache = age === true ? DEFAULT_CACHE_AGE_S : age || undefined;
  const open = (options?: OpenOptions) =>
    openSource(settings, caller, { cache, offline, ...options });
  return { rules, open, read };
}

export interface VariableRules {
  /** Knows names without the prefix. */
  selection: Selection;
  prefix: string;
  allowReserved: readonly string[];
  /** Whether the program inherits a name, with the prefix, and keeps it. */
  isSetElsewhere: (name: string) => boolean;
  decrypt: Decrypt;
  platform: NodeJS.Platform;
}

/**
 * Reads the variables for a program, and decrypts only these.
 *
 * @param files take precedence, have no prefix, and are not subject to `--only`
 */
async function readChildVariables(
  { selection, prefix, allowReserved, isSetElsewhere, decrypt, platform }: VariableRules,
  files: FileVariables,
  source: VariableSource,
): Promise<Omit<ChildVariables, "env">> {
  const isInFile = (name: string) => files.has(variableKey(name, platform));
  const selected = await readSelected(selection, source, {
    isSetElsewhere: (newName) => isInFile(prefix + newName) || isSetElsewhere(prefix + newName),
  });
  const served = selected
    .map((stored) => ({ name: prefix + stored.newName, stored }))
    .filter(({ name }) => !isInFile(name));
  const found: Omit<ChildVariables, "env"> = { variables: [], leftOut: [], setElsewhere: [] };
  for (const entry of [...served, ...files.values()]) {
    if (isSetElsewhere(entry.name)) found.setElsewhere.push(entry.name);
    else if (isLeftOut(entry.name, allowReserved)) found.leftOut.push(entry.name);
    else if ("stored" in entry) {
      const { name, value, rules } = entry.stored;
      const isText = isUnreadable(value);
      found.variables.push({ name: entry.name, value: decrypt(name, value), isText, rules });
    } else found.variables.push(entry);
  }
  return found;
}
