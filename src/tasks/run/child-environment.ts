import { variableKey } from "../../kit/process/program.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { type ValueRules, valueText } from "../../model/variable.js";
import { RATE_LIMIT_STORE_VARIABLE, SETTING_NAMES, SETTINGS } from "../settings/setting-table.js";

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

type Env = Readonly<Record<string, string | undefined>>;

export function passedOn(env: Env, isPassed: (name: string) => boolean): Record<string, string> {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(passed);
}

/** The environment for a program that the terminal interface starts, and that may outlive it by days. */
export function withoutCredentials(env: Env): Record<string, string> {
  return passedOn(env, (name) => !name.toUpperCase().startsWith("APPVARS_"));
}

export interface InheritanceRules {
  /** Pass on nothing but PATH, and on Windows the variables that programs need to start. */
  pristine?: boolean;
  /** Pass on our credentials too. */
  passCredentials?: boolean;
}

/** The variables that Windows programs need to start. Node itself passes on USERPROFILE and others. */
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
  (name) => name === "apiKey" || SETTINGS[name].kind === "secret",
);

/** The variables with a credential, which a program does not get. */
export const CREDENTIAL_VARIABLES: readonly string[] = [
  ...CREDENTIALS.flatMap((name) => SETTINGS[name].variable ?? []),
  RATE_LIMIT_STORE_VARIABLE,
];

export function inheritedEnvironment(
  env: Env,
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

/** Creates the environment of a program. On Windows, which ignores case, the last name wins. */
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
