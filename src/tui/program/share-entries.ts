import { isDeepStrictEqual } from "node:util";
import type { VariableEntry } from "../../domain/source.js";
import { VARIABLE_FIELDS } from "../../domain/variable.js";

/**
 * The entries with those of another place in the place of equal ones, which saves most of the memory: usually
 * environments differ in few values. The id of a value is that of the other place then. All are sorted by id.
 *
 * @param known the entries of an earlier read, which are returned if nothing has changed
 */
export function shareEntries(
  entries: readonly VariableEntry[],
  known: readonly VariableEntry[],
  base: readonly VariableEntry[],
): readonly VariableEntry[] {
  let at = 0;
  const shared = entries.map((entry, index) => {
    const { id } = entry.variable;
    while ((base[at]?.variable.id ?? id) < id) at++;
    const equal = [known[index], base[at]].find((other) => other !== undefined && hasSameContent(other, entry));
    return equal ?? entry;
  });
  const isUnchanged = shared.length === known.length && shared.every((entry, index) => entry === known[index]);
  return isUnchanged ? known : shared;
}

function hasSameContent(a: VariableEntry, b: VariableEntry): boolean {
  const isSameVariable = VARIABLE_FIELDS.every((field) => a.variable[field] === b.variable[field]);
  if (!isSameVariable || (a.value === undefined) !== (b.value === undefined)) return false;
  const [value, other] = [a.value?.content.value, b.value?.content.value];
  return value === other || isDeepStrictEqual(value, other);
}
