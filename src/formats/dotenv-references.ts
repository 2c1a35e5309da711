import { UsageError } from "../kit/text/errors.js";
import type { ReadEntry } from "./entry.js";

/** A variable, and the way its value is written. */
export interface Assignment {
  name: string;
  value: string;
  /** From 1. */
  line: number;
  /** "" if there is none. */
  quote: string;
  /** The text between the quotes. */
  raw: string;
  /** Whether dollar signs in it have no meaning. */
  isLiteral: boolean;
  /** Whether a comment follows without a blank. */
  isCut: boolean;
}

/** Characters in all expanded values together; "billion laughs" grow exponentially. */
const MAX_EXPANDED = 16 * 1024 * 1024;

/** References in references, and defaults in defaults. */
const MAX_DEPTH = 100;

/** The value of a name; `undefined` if it has none. */
type Lookup = (name: string) => string | undefined;

/** Replaces references. @param owner the variable and its line, for messages @throws UsageError */
export type Expand = (text: string, owner: string, lookUp: Lookup) => string;

/** @returns a lookup that throws when it has returned too much */
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

/**
 * Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME-default}` by the values of the same
 * file, before or after the reference, except between single quotes; `\$` becomes `$`. A name is
 * not set in its own value, as in a shell.
 *
 * @throws UsageError that names the variable with a reference that is not of these forms, whose
 *   name is unknown without
 *   a default, or that leads back to itself through others. It doesn't quote the reference, which may be a piece of a
 *   password
 */
export function expandReferences(assignments: readonly Assignment[]): ReadEntry[] {
  const known = new Map(assignments.map((assignment) => [assignment.name, assignment]));
  const expanded = new Map<string, string>();
  const path: string[] = [];
  const expand = (name: string): string | undefined => {
    const assignment = known.get(name);
    if (!assignment || expanded.has(name)) return expanded.get(name);
    if (path.at(-1) === name) return undefined;
    const circle = path.includes(name) && [...path.slice(path.indexOf(name)), name];
    if (circle) throw new UsageError(`these refer to each other: ${circle.join(" -> ")}`);
    const { line, value, isLiteral } = assignment;
    const owner = `${name} (line ${line})`;
    if (path.push(name) > MAX_DEPTH)
      throw new UsageError(`${owner} is referred to by more than ${MAX_DEPTH} in a row`);
    const result = isLiteral ? value : fill(value.replace(LITERAL_DOLLAR, "$$$$"), owner, lookUp);
    path.pop();
    expanded.set(name, result);
    return result;
  };
  const lookUp = limited(expand);
  return assignments.map(({ name }) => ({ name, value: expand(name) ?? "" }));
}

/** An escaped dollar sign, or one without a name. */
const LITERAL_DOLLAR = /\\\$|\$(?![A-Za-z_{])/g;

/**
 * Replaces references as a shell does, and `$$` by `$`, in one pass: a value may consist of
 * millions of references.
 */
export const fill: Expand = (text, owner, lookUp) => {
  const token = /\$\$|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)(\}|:?-)|\$\{?|\}/g;
  let result = "";

  /** @param isUsed false for a default that is not needed, which must only be well-formed */
  function walk(depth: number, isUsed: boolean): void {
    const add = (part: string) => {
      if (isUsed) result += part;
    };
    for (;;) {
      const start = token.lastIndex;
      const match = token.exec(text);
      add(text.slice(start, match?.index));
      if (!match && depth > 0) throw malformed(owner);
      if (!match) return;
      const [found, bare, name = bare, operator = "}"] = match;
      if (found === "}" && depth > 0) return;
      if (found === "$" || found === "${") throw malformed(owner);
      if (name === undefined) add(found.slice(-1));
      else if (operator !== "}") addOrWalk(name, operator === "-", depth, isUsed);
      else if (isUsed) add(lookUp(name) ?? missing(owner));
    }
  }

  /** Adds the value of a name, or walks its default. */
  function addOrWalk(name: string, mayBeEmpty: boolean, depth: number, isUsed: boolean): void {
    if (depth >= MAX_DEPTH)
      throw new UsageError(`${owner} has defaults in defaults, more than ${MAX_DEPTH} deep`);
    const value = isUsed ? lookUp(name) : undefined;
    const isEnough = value !== undefined && (value !== "" || mayBeEmpty);
    if (isEnough) result += value;
    walk(depth + 1, isUsed && !isEnough);
  }

  walk(0, true);
  return result;
};

export function missing(owner: string): never {
  throw new UsageError(
    `${owner} refers to a name that is not in the file; to give it a default, write \${NAME:-text}; to keep a dollar ` +
      "sign, write \\$ or use single quotes",
  );
}

function malformed(owner: string): UsageError {
  return new UsageError(
    `${owner} has a \${ that begins none of \${NAME}, \${NAME:-default} and \${NAME-default}; for a literal one, ` +
      "write \\${",
  );
}
