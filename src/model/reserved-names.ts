import NAMES_BY_SOURCE from "../../data/reserved-names.json" with { type: "json" };

/**
 * Names that `run`, `export` and `sandbox` leave out unless the user allows
 * them, since they can make a common program run other code, find programs or
 * configuration elsewhere, trust another certificate, or write a file chosen by
 * the value. Otherwise, permission to write a variable would grant the rights
 * of the program that receives it. A pattern may have one `*`, which matches
 * anything; `!` excludes a harmless name. Case does not matter, as on Windows
 * and in `npm_config_*`.
 *
 * A prefix is reserved if a tool reads its whole configuration from it. For
 * prefixes that applications share (`GIT_*`, `AWS_*`), only the dangerous names
 * are listed. The list can't be complete, and omits common settings of
 * applications (HTTP_PROXY, JAVA_OPTS).
 */
const PATTERNS = Object.values(NAMES_BY_SOURCE).flatMap((names) => names.split(" "));
const NAMES = new Set(PATTERNS);
const GLOBS = PATTERNS.filter((pattern) => pattern.includes("*")).map((pattern) =>
  pattern.split("*"),
);

/** Whether a variable with this name could hijack the program that receives it. */
export function isReservedName(name: string): boolean {
  const upperCase = name.toUpperCase();
  if (NAMES.has(`!${upperCase}`)) return false;
  const isMatch = ([start = "", end = ""]: string[]) =>
    upperCase.length >= start.length + end.length &&
    upperCase.startsWith(start) &&
    upperCase.endsWith(end);
  return NAMES.has(upperCase) || GLOBS.some(isMatch);
}
