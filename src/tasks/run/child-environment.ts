import { type ChildEnvironment, variableKey } from "../../kit/process/program.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { type ValueRules, valueText } from "../../model/variable.js";
import { RATE_LIMIT_STORE_VARIABLE, SETTING_NAMES, SETTINGS } from "../settings/setting-table.js";

export interface ChildVariable {
  name: string;
  value: JsonValue;
  /** Whether the value is from a dotenv file or was decrypted: a string. */
  isText?: boolean;
  rules?: ValueRules | undefined;
}

export interface ChildVariables {
  /** The whole environment of the program. */
  env: ChildEnvironment;
  variables: ChildVariable[];
  /** Reserved names that were left out, with the prefix. */
  leftOut: string[];
  /** Names for which `isSetElsewhere`, with the prefix. */
  setElsewhere: string[];
}

/** Variables of dotenv files by `variableKey`. */
export type FileVariables = ReadonlyMap<string, ChildVariable>;

type Env = Readonly<Record<string, string | undefined>>;

export function filterEnvironment(
  env: Env,
  isPassed: (name: string) => boolean,
): Record<string, string> {
  const passed = Object.entries(env).filter(
    ([name, value]) => value !== undefined && isPassed(name),
  );
  return Object.fromEntries(passed) as Record<string, string>;
}

/**
 * Returns the environment for a program of the terminal interface, which it may
 * outlive by days.
 */
export function withoutCredentials(env: Env): Record<string, string> {
  return filterEnvironment(env, (name) => !name.toUpperCase().startsWith("APPVARS_"));
}

export interface InheritanceOptions {
  /** Whether to pass on only what programs need to start. */
  pristine?: boolean;
  passCredentials?: boolean;
}

/** The needs of Windows programs, beside USERPROFILE and others from Node. */
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

/** The variables with a credential, which programs don't get. */
export const CREDENTIAL_VARIABLES: readonly string[] = SETTING_NAMES.filter(
  (name) => name === "apiKey" || SETTINGS[name].kind === "secret",
)
  .flatMap((name) => SETTINGS[name].variable ?? [])
  .concat(RATE_LIMIT_STORE_VARIABLE);

export function inheritedEnvironment(
  env: Env,
  { pristine, passCredentials }: InheritanceOptions,
  platform: NodeJS.Platform,
): Record<string, string> {
  // Windows finds a variable by any case of its name.
  return filterEnvironment(env, (name) => {
    if (!pristine) return passCredentials || !CREDENTIAL_VARIABLES.includes(name.toUpperCase());
    return platform === "win32"
      ? PRISTINE_ON_WINDOWS.includes(name.toUpperCase())
      : name === "PATH";
  });
}

/**
 * Adds variables to the inherited ones. On Windows, which ignores the case of
 * names, the last one of a name wins.
 */
export function childEnvironment(
  inherited: ChildEnvironment,
  variables: readonly ChildVariable[],
  platform: NodeJS.Platform,
): Record<string, string> {
  const added = variables.map(({ name, value }) => [name, valueText(value)] as const);
  const byKey = [...Object.entries(inherited), ...added].map(
    (entry) => [variableKey(entry[0], platform), entry] as const,
  );
  return Object.fromEntries(new Map(byKey).values());
}
