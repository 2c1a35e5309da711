import { valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";
import { firstOf, loneSurrogate, notShellName, nul, type Refusal, refuse } from "./refuse.js";

/**
 * What dash or bash (5.2) sets, computes or protects itself, found by assigning to every variable they have: the
 * assignment ends the script, is ignored, or reads back as something else.
 */
const KEPT_BY_SHELL = new Set([
  ...["BASHOPTS", "BASHPID", "BASH_ALIASES", "BASH_ARGC", "BASH_ARGV", "BASH_CMDS", "BASH_COMMAND", "BASH_LINENO"],
  ...["BASH_SOURCE", "BASH_SUBSHELL", "BASH_VERSINFO", "DIRSTACK", "EPOCHREALTIME", "EPOCHSECONDS", "EUID"],
  ...["FUNCNAME", "GROUPS", "HISTCMD", "LINENO", "OPTIND", "PPID", "RANDOM", "SECONDS", "SHELLOPTS", "SHLVL"],
  ...["SRANDOM", "UID", "_"],
]);

const keptByShell: Refusal = ({ name }) => (KEPT_BY_SHELL.has(name) ? "the shell keeps it for itself" : undefined);

/**
 * `export NAME='value'` lines for `eval` and `.` in any POSIX shell. Between single quotes everything stands for
 * itself but the single quote (POSIX.1-2024 XCU 2.2.2), which is written outside of them as `\'`.
 */
export function writeShell(entries: readonly Entry[]): string {
  refuse("shell", entries, firstOf(notShellName, keptByShell, nul, loneSurrogate));
  return entries.map(({ name, value }) => `export ${name}=${quote(valueText(value))}\n`).join("");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
