import { win32 } from "node:path";
import { UsageError } from "../text/errors.js";

export type ProgramLine = readonly [program: string, ...args: string[]];

export type ChildEnvironment = Readonly<Record<string, string>>;

/** The process that starts a program. */
export interface ParentProcess {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  warn(text: string): void;
}

/**
 * The longest argument or `NAME=value` in Linux, in bytes with the NUL at its
 * end: MAX_ARG_STRLEN with pages of 4 KiB.
 */
export const MAX_LINUX_STRING = 128 * 1024;

/**
 * Returns the path of a program that comes with Windows. By its name alone, a
 * program in the current folder would be started.
 */
export function systemProgram(name: string, env: NodeJS.ProcessEnv): string {
  return win32.join(env["SystemRoot"] ?? "C:\\Windows", "System32", name);
}

/** @throws UsageError that names a variable whose value contains a NUL */
export function refuseNul(env: ChildEnvironment): void {
  const name = Object.keys(env).find((key) => env[key]?.includes("\0"));
  if (name !== undefined) {
    throw new UsageError(
      `the value of ${name} contains a NUL character, which no environment can hold`,
    );
  }
}

/** Warns about bytes that are not UTF-8, which Node.js replaces with U+FFFD. */
export function warnOfLostBytes(
  command: ProgramLine,
  env: ChildEnvironment,
  { env: own, warn }: ParentProcess,
): void {
  const names = Object.keys(env).filter(
    (name) => env[name] === own[name] && /\uFFFD/.test(name + env[name]),
  );
  const changed = [...(/\uFFFD/.test(command.join()) ? ["an argument"] : []), ...names].join(", ");
  if (changed)
    warn(`Node.js can't pass on bytes that are not UTF-8, and has replaced them in ${changed}`);
}

/**
 * Returns the name under which an environment has a variable; `undefined`
 * without one. On Windows, case does not matter.
 */
export function nameIn(
  env: Readonly<Record<string, unknown>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (platform !== "win32") return Object.hasOwn(env, name) ? name : undefined;
  const key = variableKey(name, platform);
  return Object.keys(env).find((each) => variableKey(each, platform) === key);
}

/**
 * Returns a key that is the same for all names of a variable: Windows ignores
 * case.
 */
export function variableKey(name: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? name.toUpperCase() : name;
}
