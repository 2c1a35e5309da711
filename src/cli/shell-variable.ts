import { type JsonValue, valueText } from "../domain/variable.js";
import type { Io } from "./io.js";
import { isReservedName } from "./reserved-names.js";

/** A variable of the process's own environment beside the one that a source has. */
export interface ShellVariable {
  set: boolean;
  /** Whether it has the source's value; undefined where one of the two has none that can be compared. */
  same: boolean | undefined;
  /** What `run` makes of it: `replaces` unless `--preserve-env`; `leaves` it as it is. */
  run: "sets" | "replaces" | "leaves" | "fails";
}

/** @param value what `run` would set; `undecrypted` where it has no key for it, undefined where there is none */
export function shellVariable(
  name: string,
  value: { value: JsonValue } | "undecrypted" | undefined,
  env: Io["env"],
): ShellVariable {
  const set = Object.hasOwn(env, name) && env[name] !== undefined;
  const text = value && value !== "undecrypted" ? valueText(value.value) : undefined;
  const same = set && text !== undefined ? env[name] === text : undefined;
  if (value === undefined || isReservedName(name)) return { set, same, run: "leaves" };
  if (value === "undecrypted") return { set, same, run: "fails" };
  return { set, same, run: same === false ? "replaces" : "sets" };
}

/** The same for a person. */
export function describeShellVariable(name: string, { set, same, run }: ShellVariable): string {
  const state = !set ? "not set" : same === undefined ? "set" : `set to ${same ? "the same" : "another"} value`;
  const effects = {
    sets: set ? "run leaves that" : "run sets it",
    replaces: "run replaces it, unless --preserve-env",
    leaves: isReservedName(name) ? "run leaves this name alone" : "run does not touch it",
    fails: "run fails: it has no key that decrypts the value",
  };
  return `${state}; ${effects[run]}`;
}
