import { UsageError } from "../domain/errors.js";
import type { ReadEntry } from "./entry.js";
import { ASSIGNMENT, withLineFeeds } from "./parse-dotenv.js";

/** The last assignment of a name in a file. */
interface Assignment {
  /** From 1. */
  line: number;
  /** Between single quotes or backticks, where a dollar sign is literal. */
  isLiteral: boolean;
}

function findAssignments(text: string): Map<string, Assignment> {
  const lines = withLineFeeds(text);
  const found = new Map<string, Assignment>();
  let line = 1;
  let counted = 0;
  for (const { 1: name = "", 2: raw = "", index } of lines.matchAll(ASSIGNMENT)) {
    for (; counted < index; counted++) if (lines[counted] === "\n") line++;
    found.set(name, { line, isLiteral: /^(['`])[\s\S]*\1$/.test(raw.trim()) });
  }
  return found;
}

/** `$NAME`, and the beginning of `${NAME…}`; a backslash before the dollar sign makes it literal. */
const REFERENCE = /(?<!\\)\$[A-Za-z_{]/;

/** How many names a message lists. */
const MAX_NAMES = 10;

/** `A (line 1), B (line 3)`: the references that `expandReferences` would replace; "" for none. */
export function describeReferences(text: string, entries: readonly ReadEntry[]): string {
  if (!text.includes("$")) return "";
  const assignments = findAssignments(text);
  const referring = entries.filter(({ name, value }) => {
    return !assignments.get(name)?.isLiteral && REFERENCE.test(String(value));
  });
  const shown = referring.slice(0, MAX_NAMES).map(({ name }) => `${name} (line ${assignments.get(name)?.line})`);
  const more = referring.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Characters in all expanded values together; "billion laughs" grow exponentially. */
const MAX_EXPANDED = 16 * 1024 * 1024;

/** References in references, and defaults in defaults. */
const MAX_DEPTH = 100;

/**
 * Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME-default}` by the values of the same file, before or after
 * the reference, as far as they are not between single quotes; `\$` becomes `$`.
 *
 * @throws UsageError that names the variable with a reference that is not of these forms, whose name is unknown without
 *   a default, or that leads back to itself. It doesn't quote the reference, which may be a piece of a password
 */
export function expandReferences(text: string, entries: readonly ReadEntry[]): ReadEntry[] {
  const assignments = findAssignments(text);
  const values = new Map(entries.map(({ name, value }) => [name, String(value)]));
  const expanded = new Map<string, string>();
  let length = 0;
  const grow = (part: string): string => {
    length += part.length;
    if (length > MAX_EXPANDED) throw new UsageError("the expanded values are longer than 16 MiB together");
    return part;
  };
  const path: string[] = [];
  const expand = (name: string): string | undefined => {
    const value = expanded.get(name) ?? values.get(name);
    if (value === undefined || expanded.has(name)) return value;
    if (path.includes(name)) throw new UsageError(describeCircle(path, name));
    const { line, isLiteral } = assignments.get(name) ?? {};
    const owner = `${name} (line ${line})`;
    if (path.push(name) > MAX_DEPTH) throw new UsageError(`${owner} is referred to by more than ${MAX_DEPTH} in a row`);
    const result = isLiteral ? value : fill(value, owner, expand, grow);
    path.pop();
    expanded.set(name, result);
    return result;
  };
  return entries.map((entry) => ({ ...entry, value: expand(entry.name) ?? "" }));
}

/** @param names that refer to one another in this order; the last one refers to `again` */
function describeCircle(names: readonly string[], again: string): string {
  const circle = names.slice(names.indexOf(again));
  if (circle.length === 1) return `${again} refers to itself`;
  return `these refer to each other: ${[...circle, again].join(" -> ")}`;
}

/** Of a reference with a default, from after the brace. */
const WITH_DEFAULT = /([A-Za-z_]\w*)(:?-)/y;

/**
 * Reads and expands in one pass: a value may consist of millions of references.
 *
 * @param owner the variable, for messages
 * @param expand returns the expanded value of a name; undefined if it is not in the file
 * @param grow called with each part of the result
 */
function fill(
  text: string,
  owner: string,
  expand: (name: string) => string | undefined,
  grow: (part: string) => string,
): string {
  const token = /\\\$|\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|\$\{|\}/g;
  let position = 0;
  let result = "";

  /** @param isUsed false for a default that is not needed, which must only be well-formed */
  function walk(depth: number, isUsed: boolean): void {
    const add = (part: string) => {
      if (isUsed && part !== "") result += grow(part);
    };
    while (position < text.length) {
      token.lastIndex = position;
      const match = token.exec(text);
      const index = match?.index ?? text.length;
      add(text.slice(position, index));
      if (!match) position = index;
      else {
        const [found, name = match[2]] = match;
        position = token.lastIndex;
        if (found === "}" && depth > 0) return;
        if (name === undefined && found === "${") walkDefault(depth, isUsed);
        else if (name === undefined) add(found.slice(-1));
        else if (isUsed) add(expand(name) ?? missing());
      }
    }
    if (depth > 0) throw malformed();
  }

  function walkDefault(depth: number, isUsed: boolean): void {
    WITH_DEFAULT.lastIndex = position;
    const [head = "", name, operator] = WITH_DEFAULT.exec(text) ?? [];
    if (name === undefined) throw malformed();
    if (depth >= MAX_DEPTH) throw new UsageError(`${owner} has defaults in defaults, more than ${MAX_DEPTH} deep`);
    position += head.length;
    const value = isUsed ? expand(name) : undefined;
    const isEnough = value !== undefined && (value !== "" || operator === "-");
    if (isEnough) result += grow(value);
    walk(depth + 1, isUsed && !isEnough);
  }

  const missing = (): never => {
    throw new UsageError(
      `${owner} refers to a name that is not in the file; to give it a default, write \${NAME:-text}; to keep a dollar ` +
        "sign, write \\$ or use single quotes",
    );
  };
  const malformed = () =>
    new UsageError(
      `${owner} has a \${ that begins none of \${NAME}, \${NAME:-default} and \${NAME-default}; for a literal one, ` +
        "write \\${",
    );

  walk(0, true);
  return result;
}
