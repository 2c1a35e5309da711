import { UsageError } from "../domain/errors.js";
import { isVariableName, type JsonValue, valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";

/** Why a format can't hold an entry, undefined when it can: `its value holds a NUL`. Never the value. */
export type Refusal = (entry: Entry) => string | undefined;

/**
 * Lets nothing through that the format would mangle. A name has to keep the rule for names whatever the format:
 * entries may come from a server that is not ours, and a name is written unquoted.
 *
 * @throws UsageError that lists every entry that is refused, and why
 */
export function refuse(format: string, entries: readonly Entry[], refusal: Refusal): void {
  const refused: string[] = [];
  for (const entry of entries) {
    const reason = isVariableName(entry.name) ? refusal(entry) : "not a variable name";
    if (reason !== undefined) refused.push(`${entry.name} (${reason})`);
  }
  if (refused.length > 0) throw new UsageError(`these can't be written as ${format}: ${refused.join(", ")}`);
}

/** The first reason that one of these has. */
export function firstOf(...refusals: readonly Refusal[]): Refusal {
  return (entry) => {
    for (const refusal of refusals) {
      const reason = refusal(entry);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

/** The value as text can't be in an environment variable, which ends at a NUL. */
export const nul: Refusal = ({ value }) => (valueText(value).includes("\0") ? "its value holds a NUL" : undefined);

/** Half of a surrogate pair has no UTF-8; Node would write U+FFFD in its place. */
export const loneSurrogate: Refusal = ({ value }) =>
  /\p{Surrogate}/u.test(valueText(value)) ? "its value holds half a surrogate pair, which UTF-8 can't hold" : undefined;

/** The first reason that a string in the value has, for formats that write JSON's structure as their own. */
export function inAnyString(refusal: Refusal): Refusal {
  return (entry) => {
    for (const value of stringsIn(entry.value)) {
      const reason = refusal({ ...entry, value });
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
}

/** A name that POSIX shells and fish take (XBD 3.216): no dot, no hyphen. */
export const notShellName: Refusal = ({ name }) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? undefined : "not a shell name";
