import { valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";
import { firstOf, loneSurrogate, notShellName, nul, type Refusal, refuse } from "./refuse.js";

/** What fish (3.6 and 4) sets itself or makes read-only: fish docs, "Special variables". */
const KEPT_BY_FISH = new Set([
  ...["FISH_VERSION", "PWD", "SHLVL", "_", "fish_kill_signal", "fish_killring", "fish_pid", "history", "hostname"],
  ...["pipestatus", "status", "status_generation", "umask", "version"],
]);

const keptByFish: Refusal = ({ name }) => (KEPT_BY_FISH.has(name) ? "fish keeps it for itself" : undefined);

/** fish splits these two at the colons and exports an empty element as a dot (fish-shell#3914). */
const emptyPathElement: Refusal = ({ name, value }) =>
  (name === "PATH" || name === "CDPATH") && valueText(value).split(":").includes("")
    ? "fish writes an empty element of it as a dot"
    : undefined;

/**
 * `set -gx NAME 'value'` lines for `source` in fish. Between single quotes only `\'` and `\\` are escapes (fish docs,
 * "Quotes").
 */
export function writeFish(entries: readonly Entry[]): string {
  refuse("fish", entries, firstOf(notShellName, keptByFish, emptyPathElement, nul, loneSurrogate));
  return entries.map(({ name, value }) => `set -gx ${name} ${quote(valueText(value))}\n`).join("");
}

function quote(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
