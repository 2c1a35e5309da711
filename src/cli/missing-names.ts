import { NotFoundError } from "../domain/errors.js";
import { MAX_LIMIT } from "../domain/page.js";
import type { VariableSource } from "../domain/source.js";

const LONGEST_WAIT_MS = 1_000;

/** The error for names that a source has no value for, with the likely intended ones where there are any. */
export async function missingNamesError(names: readonly string[], source: VariableSource): Promise<NotFoundError> {
  const { suggestion } = await import("../domain/nearest.js");
  const { setTimeout: delay } = await import("node:timers/promises");
  // One page and one moment have to do: a suggestion is not worth a long list, a wait on a 429, another failure.
  const listing = source.listVariables({ limit: MAX_LIMIT }).catch(() => undefined);
  const page = await Promise.race([listing, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
  const known = page?.data.map((variable) => variable.name) ?? [];
  const described = names.map((name) => {
    if (known.includes(name)) return `"${name}" has no value in this environment`;
    return `there is no variable "${name}"${suggestion(name, known)}`;
  });
  return new NotFoundError(described.join("; "));
}
