import { NotFoundError } from "../../kit/text/errors.js";
import { MAX_LIMIT } from "./page.js";
import type { VariableReader } from "./read.js";

export async function missingNamesError(
  names: readonly string[],
  reader: VariableReader,
): Promise<NotFoundError> {
  // A suggestion is not worth a long list, or another failure.
  const page = await reader.listVariables({ limit: MAX_LIMIT }).catch(() => undefined);
  return new NotFoundError(
    await describeMissing(names, page?.data.map((variable) => variable.name) ?? []),
  );
}

/**
 * @param variables the names of all variables of the environment, for
 *   suggestions
 */
export async function describeMissing(
  names: readonly string[],
  variables: readonly string[],
): Promise<string> {
  const { suggestion } = await import("../../kit/text/nearest.js");
  const described = names.map((name) => {
    if (variables.includes(name)) return `"${name}" has no value in this environment`;
    return `there is no variable "${name}"${suggestion(name, variables)}`;
  });
  return described.join("; ");
}
