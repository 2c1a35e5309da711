import { variableKey } from "../../kit/process/program.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { VariableSource } from "../../model/source.js";
import { isUnreadable, type ValueRules, valueText } from "../../model/variable.js";
import { readSelected, type Selection } from "../selection/selection.js";
import { RATE_LIMIT_STORE_VARIABLE, SETTING_NAMES, SETTINGS } from "../settings/setting-table.js";
import type { Decrypt } from "../sources/decryption.js";
import { passedOn } from "./child-environment.js";
import { isLeftOut } from "./left-out.js";

/** Which variables a program gets, and under which names. */
export interface VariableRules {
  /** Their names do not have the prefix yet. */
  selection: Selection;
  prefix: string;
  /** Reserved names, with the prefix, that the program gets. */
  allowReserved: readonly string[];
  /** Whether the program has this name, with the prefix, from elsewhere, which takes precedence. */
  isTaken: (name: string) => boolean;
}

/** A variable under the name that the program sees. */
export interface ChildVariable {
  name: string;
  value: JsonValue;
  /** Whether the value is a text, whatever the type of the variable: from a file, or decrypted. */
  isText?: boolean;
  rules?: ValueRules | undefined;
}

export interface ChildVariables {
  variables: ChildVariable[];
  /** Names, with the prefix, that were left out because they are reserved. */
  leftOut: string[];
  /** Names, with the prefix, for which `isTaken`. */
  taken: string[];
}

/** Variables of dotenv files, by the `variableKey` of their names. */
export type FileVariables = ReadonlyMap<string, ChildVariable>;

/**
 * Reads the variables for a program, and decrypts only those.
 *
 * @param files take precedence, have no prefix, and are not subject to `--only`
 * @throws DecryptionError; NotFoundError and UsageError, as `Selection`
 */
export async function readChildVariables(
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

export interface InheritanceRules {
  /** Pass on nothing but PATH, and on Windows the variables that programs need to start. */
  pristine?: boolean;
  /** Pass on our credentials too. */
  passCredentials?: boolean;
}

/**
 * The variables that Windows programs need: they fail to start without SystemRoot, and cmd.exe finds
 * programs by PATHEXT. Node
 * itself passes on HOMEDRIVE, HOMEPATH, LOGONSERVER, USERDOMAIN, USERNAME and USERPROFILE too.
 */
const PRISTINE_ON_WINDOWS = [
  "PATH",
  "PATHEXT",
  "COMSPEC",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "TEMP",
  "TMP",
];

const CREDENTIALS = SETTING_NAMES.filter(
  (name) => name === "apiKey" || SETTINGS[name].is === "secret",
);

/** The variables that hold a credential: they are removed from a program's environment. */
export const CREDENTIAL_VARIABLES: readonly string[] = [
  ...CREDENTIALS.flatMap((name) => SETTINGS[name].variable ?? []),
  RATE_LIMIT_STORE_VARIABLE,
];

/** The part of our own environment that a program gets. */
export function inheritedEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { pristine, passCredentials }: InheritanceRules,
  platform: NodeJS.Platform,
): Record<string, string> {
  const isPristine = (name: string) =>
    platform === "win32" ? PRISTINE_ON_WINDOWS.includes(name.toUpperCase()) : name === "PATH";
  // Windows finds a variable by any case of its name.
  const isPassed = (name: string) =>
    pristine
      ? isPristine(name)
      : passCredentials || !CREDENTIAL_VARIABLES.includes(name.toUpperCase());
  return passedOn(env, isPassed);
}

/** The environment of a program. On Windows, which ignores case, the last of two names wins. */
export function childEnvironment(
  inherited: Readonly<Record<string, string>>,
  variables: readonly ChildVariable[],
  platform: NodeJS.Platform,
): Record<string, string> {
  const added = variables.map(({ name, value }) => [name, valueText(value)] as const);
  const byKey = [...Object.entries(inherited), ...added].map(
    (entry) => [variableKey(entry[0], platform), entry] as const,
  );
  return Object.fromEntries(new Map(byKey).values());
}
