import { NotFoundError } from "../domain/errors.js";
import { MAX_LIMIT } from "../domain/page.js";
import type { VariableSource } from "../domain/source.js";

/** The error for names that a source has no value for, with the likely intended ones where there are any. */
export async function missingNamesError(names: readonly string[], source: VariableSource): Promise<NotFoundError> {
  const { nearest } = await import("./suggest.js");
  // One page has to do: a suggestion is not worth reading a long list for, nor failing in another way.
  const page = await source.listVariables({ limit: MAX_LIMIT }).catch(() => undefined);
  const known = page?.data.map((variable) => variable.name) ?? [];
  const described = names.map((name) => {
    if (known.includes(name)) return `"${name}" has no value in this environment`;
    const suggestion = nearest(name, known);
    return `there is no variable "${name}"${suggestion ? ` (did you mean ${suggestion}?)` : ""}`;
  });
  return new NotFoundError(described.join("; "));
}
