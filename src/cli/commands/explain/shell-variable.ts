import { isReservedName } from "../../../domain/reserved-names.js";
import { type JsonValue, valueText } from "../../../domain/variable.js";
import type { Io } from "../../output/io.js";

/** The variable of the process's own environment that has the same name. */
export interface ShellVariable {
  set: boolean;
  /** Whether it has the source's value; undefined if one of the two has none that can be compared. */
  same: boolean | undefined;
  /** What `run` does with it: `replaces` it unless `--preserve-env`; `leaves` it unchanged. */
  run: "sets" | "replaces" | "leaves" | "fails";
}

/** @param value what `run` would set; `undecrypted` if it has no key for it, undefined if there is none */
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
    leaves: isReservedName(name) ? "run leaves it out, unless --allow-reserved names it" : "run does not touch it",
    fails: "run fails: it has no key that decrypts the value",
  };
  return `${state}; ${effects[run]}`;
}
