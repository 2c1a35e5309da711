import { randomBytes } from "node:crypto";
import { valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";
import { firstOf, loneSurrogate, notShellName, nul, type Refusal, refuse } from "./refuse.js";

/** NODE_OPTIONS is an error in the runner; the defaults can't be overwritten. Windows ignores case, so do we. */
const keptByGithub: Refusal = ({ name }) =>
  /^(GITHUB_|RUNNER_|NODE_OPTIONS$)/i.test(name) ? "GitHub keeps it for itself" : undefined;

const lastCarriageReturn: Refusal = ({ value }) =>
  valueText(value).endsWith("\r") ? "its value ends in a carriage return, which a Windows runner drops" : undefined;

/**
 * For `>> "$GITHUB_ENV"`: `NAME<<DELIMITER`, the value, `DELIMITER` (GitHub docs, "Workflow commands", "Multiline
 * strings"; the runner's FileCommandManager). A delimiter that a value could hold would let the value set variables of
 * its own, so it is random, as GitHub's docs ask for, and looked for in the values as well.
 *
 * @param randomHex 32 random hex digits
 */
export function writeGithub(entries: readonly Entry[], randomHex = () => randomBytes(16).toString("hex")): string {
  refuse("github", entries, firstOf(notShellName, keptByGithub, nul, lastCarriageReturn, loneSurrogate));
  const delimiter = unusedDelimiter(entries, randomHex);
  return entries.map(({ name, value }) => `${name}<<${delimiter}\n${valueText(value)}\n${delimiter}\n`).join("");
}

function unusedDelimiter(entries: readonly Entry[], randomHex: () => string): string {
  for (;;) {
    const delimiter = `appvars_${randomHex()}`;
    if (!entries.some(({ value }) => valueText(value).includes(delimiter))) return delimiter;
  }
}
