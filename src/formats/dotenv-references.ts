import { UsageError } from "../kit/text/errors.js";

export interface DotenvAssignment {
  name: string;
  value: string;
  line: number;
  /** The quote around the value, or `""`. */
  quote: string;
  /** The text between the quotes. */
  raw: string;
  /** Whether dollar signs have no meaning. */
  isLiteral: boolean;
  /** Whether a comment follows without a blank. */
  isCut: boolean;
}

/** The maximum length of all expanded values, which can grow exponentially. */
const MAX_EXPANDED = 16 * 1024 * 1024;

/** The maximum depth of nested defaults. */
const MAX_DEPTH = 100;

type Lookup = (name: string) => string | undefined;

/**
 * Replaces references.
 *
 * @param owner the variable and its line, for messages
 * @throws UsageError
 */
export type Expand = (text: string, owner: string, lookUp: Lookup) => string;

/** Returns a lookup that throws once it has returned too many characters. */
export function limited(lookup: Lookup): Lookup {
  let length = 0;
  return (name) => {
    const value = lookup(name);
    length += value?.length ?? 0;
    if (length > MAX_EXPANDED)
      throw new UsageError("the expanded values are longer than 16 MiB together");
    return value;
  };
}

/** An escaped dollar sign, or one without a name. */
const LITERAL_DOLLAR = /\\\$|\$(?![A-Za-z_{])/g;

const TOKEN = /\$\$|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)(\}|:?-)|\$\{?|\}|[^$}]+/g;

/**
 * Replaces references as a shell does, and `$$` with `$`. One pass, since a
 * value may consist of millions of references.
 */
export const fill: Expand = (text, owner, lookUp) => {
  // One item for each default around the token. An unused default only has to
  // be well-formed.
  const isUsed = [true];
  const result = text.replace(TOKEN, (token, bare, name = bare, operator = "}") => {
    if (token === "$" || token === "${") throw malformedReferenceError(owner);
    if (operator !== "}") return startDefault(isUsed, owner, operator, () => lookUp(name));
    if (token === "}" && isUsed.length > 1) {
      isUsed.pop();
      return "";
    }
    if (!isUsed.at(-1)) return "";
    if (name !== undefined) return lookUp(name) ?? throwUnresolved(owner);
    return token === "$$" ? "$" : token;
  });
  if (isUsed.length > 1) throw malformedReferenceError(owner);
  return result;
};

/** Keeps dollar signs that are escaped or have no name. */
export const expandPlain: Expand = (text, owner, lookUp) =>
  fill(text.replace(LITERAL_DOLLAR, "$$$$"), owner, lookUp);

/** Returns the value of the name, or `""` if the default is used. */
function startDefault(
  isUsed: boolean[],
  owner: string,
  operator: string,
  lookUp: () => string | undefined,
): string {
  if (isUsed.length > MAX_DEPTH)
    throw new UsageError(`${owner} nests defaults more than ${MAX_DEPTH} levels deep`);
  const isRead = isUsed.at(-1) === true;
  const value = isRead ? lookUp() : undefined;
  const isMissing = value === undefined || (value === "" && operator === ":-");
  isUsed.push(isRead && isMissing);
  return isMissing ? "" : value;
}

export function throwUnresolved(owner: string): never {
  throw new UsageError(
    `${owner} refers to a name that no line before it sets; to give it a default, write \${NAME:-text}; to keep a dollar ` +
      "sign, write \\$ or use single quotes",
  );
}

function malformedReferenceError(owner: string): UsageError {
  return new UsageError(
    `${owner} has a \${ that begins none of \${NAME}, \${NAME:-default} and \${NAME-default}; for a literal one, ` +
      "write \\${",
  );
}
