/**
 * The name of a variable, or a glob. It has no comma, since commas separate
 * patterns.
 */
export const NAME_OR_GLOB = /^[\w.*?[\]!^-]{1,255}$/;
export const NAME_OR_GLOB_RULE =
  "a name or a glob such as DB_*: 1 to 255 letters, digits and _ . - * ? [ ] ! ^";

/**
 * Splits a list such as `PORT, DB_*` or `PORT DB_*`. An extra comma adds an
 * empty name.
 */
export function splitNames(text: string): string[] {
  return text.trim().split(/\s*,\s*|\s+/);
}

interface Matcher {
  matches(name: string): boolean;
  /** Returns the patterns that match none of these names. */
  unmatched(names: readonly string[]): string[];
}

/** @param patterns names and globs such as `DB_*` */
export function createMatcher(patterns: readonly string[]): Matcher {
  const names = new Set(patterns.filter((pattern) => !isGlob(pattern)));
  const globs = patterns.filter(isGlob).map((glob) => [glob, compileGlob(glob)] as const);
  return {
    matches: (name) => names.has(name) || globs.some(([, matches]) => matches(name)),
    unmatched(present) {
      const all = new Set(present);
      const missing = [...names].filter((name) => !all.has(name));
      const unused = globs.filter(([, matches]) => !present.some(matches));
      return [...missing, ...unused.map(([glob]) => glob)];
    },
  };
}

/**
 * Whether a pattern is a glob. An invalid glob counts as the name of a variable
 * that can't exist.
 */
export function isGlob(pattern: string): boolean {
  return NAME_OR_GLOB.test(pattern) && /[*?[]/.test(pattern);
}

/**
 * Compiles a glob that matches in linear time: a part between stars has a fixed
 * length, so its first match leaves the longest rest of the name, and a
 * lookahead prevents backtracking. picomatch backtracks: four stars take it
 * seconds to minutes for a name of 250 equal characters.
 */
function compileGlob(glob: string): (name: string) => boolean {
  const parts = [""];
  for (const token of glob.match(/\[[^\]]+\]|\*+|./g) ?? []) {
    if (token.startsWith("*")) parts.push("");
    else parts.push(`${parts.pop()}${sourceOf(token)}`);
  }
  const [first = "", ...others] = parts;
  const last = others.pop();
  const between = others.map((part, index) => `(?=(.*?${part}))\\${index + 1}`).join("");
  try {
    const pattern = new RegExp(`^${first}${last === undefined ? "" : `${between}.*${last}`}$`);
    return (name) => pattern.test(name);
  } catch {
    // Such as [z-a].
    return () => false;
  }
}

/** @param token `?`, a class such as `[a-z]` or `[!a-z]`, or one character */
function sourceOf(token: string): string {
  if (token === "?") return ".";
  return token.length > 1 ? token.replace("[!", "[^") : token.replace(/[.[\]^]/, "\\$&");
}
