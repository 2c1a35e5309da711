import { UsageError } from "../domain/errors.js";
import type { ReadEntry } from "./entry.js";

/** The last assignment of a name in a file. */
interface Assignment {
  /** From 1. */
  line: number;
  /** Between single quotes or backticks, where a dollar sign is literal. */
  isLiteral: boolean;
}

/** As dotenv finds assignments: `parse` says what their values are, but not how they are quoted. */
const ASSIGNMENT =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;

function findAssignments(text: string): Map<string, Assignment> {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  const found = new Map<string, Assignment>();
  let line = 1;
  let counted = 0;
  for (const { 0: all, 1: name = "", 2: raw = "", index } of lines.matchAll(ASSIGNMENT)) {
    const start = index + all.search(/\S/);
    for (; counted < start; counted++) if (lines[counted] === "\n") line++;
    found.set(name, { line, isLiteral: /^(['`])[\s\S]*\1$/.test(raw.trim()) });
  }
  return found;
}

/** `$NAME`, and the beginning of `${NAME…}`; a backslash before the dollar sign makes it literal. */
const REFERENCE = /\\\$|\$(?:([A-Za-z_]\w*)|\{)/g;

/** `A (line 1), B (line 3)`: what `expandReferences` would change but for escaped dollar signs; "" if there is nothing. */
export function describeReferences(text: string, entries: readonly ReadEntry[]): string {
  if (!text.includes("$")) return "";
  const assignments = findAssignments(text);
  return entries
    .flatMap(({ name, value }) => {
      const { line, isLiteral } = assignments.get(name) ?? {};
      const refers = !isLiteral && [...String(value).matchAll(REFERENCE)].some(([found]) => found !== "\\$");
      return refers ? [`${name} (line ${line})`] : [];
    })
    .join(", ");
}

/** What stands in place of a reference when the name has no value, or with a colon, when its value is empty. */
interface Reference {
  name: string;
  fallback: { parts: Part[]; ifEmpty: boolean } | undefined;
}

type Part = string | Reference;

/** Characters in all expanded values together; "billion laughs" grow exponentially. */
const MAX_EXPANDED = 16 * 1024 * 1024;

/** References in references, and defaults in defaults. */
const MAX_DEPTH = 100;

/**
 * Replaces `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME-default}` by the values of the same file, before or after
 * the reference, as far as they are not between single quotes; `\$` becomes `$`.
 *
 * @throws UsageError that names the variable with a reference that is not of these forms, whose name is unknown without
 *   a default, or that leads back to itself
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

  const expand = (name: string, above: readonly string[]): string => {
    const known = expanded.get(name);
    if (known !== undefined) return known;
    if (above.includes(name)) throw new UsageError(`these refer to each other: ${[...above, name].join(" -> ")}`);
    if (above.length > MAX_DEPTH) throw new UsageError(`${above[0]} refers to more than ${MAX_DEPTH} others in a row`);
    const value = values.get(name) ?? "";
    const result = assignments.get(name)?.isLiteral ? value : fill(parseParts(name, value), [...above, name]);
    expanded.set(name, result);
    return result;
  };

  const fill = (parts: readonly Part[], above: readonly string[]): string =>
    parts.map((part) => grow(typeof part === "string" ? part : resolve(part, above))).join("");

  const resolve = ({ name, fallback }: Reference, above: readonly string[]): string => {
    const value = values.has(name) ? expand(name, above) : undefined;
    if (value !== undefined && (value !== "" || !fallback?.ifEmpty)) return value;
    if (fallback) return fill(fallback.parts, above);
    throw new UsageError(`${above.at(-1)} refers to ${name}, which is not in the file; a default is \${${name}:-text}`);
  };

  return entries.map((entry) => ({ ...entry, value: expand(entry.name, []) }));
}

/** Of a braced reference, from after the brace. */
const BRACED = /([A-Za-z_]\w*)(\}|:?-)/y;

function parseParts(owner: string, text: string): Part[] {
  let position = 0;
  const parse = (depth: number): Part[] => {
    const parts: Part[] = [];
    const token = /\\\$|\$([A-Za-z_]\w*)|\$\{|\}/g;
    while (position < text.length) {
      token.lastIndex = position;
      const match = token.exec(text);
      const [found = "", name] = match ?? [];
      const index = match?.index ?? text.length;
      const isEnd = found === "}" && depth > 0;
      parts.push(text.slice(position, index) + (found === "}" && !isEnd ? found : ""));
      position = index + found.length;
      if (isEnd) return parts;
      if (found === "\\$") parts.push("$");
      if (name !== undefined) parts.push({ name, fallback: undefined });
      if (found === "${") parts.push(parseBraced(depth));
    }
    if (depth > 0) throw malformed();
    return parts;
  };
  const parseBraced = (depth: number): Reference => {
    BRACED.lastIndex = position;
    const [head = "", name, operator] = BRACED.exec(text) ?? [];
    if (name === undefined || depth >= MAX_DEPTH) throw malformed();
    position += head.length;
    return { name, fallback: operator === "}" ? undefined : { ifEmpty: operator === ":-", parts: parse(depth + 1) } };
  };
  const malformed = () =>
    new UsageError(
      `${owner} has a \${ that begins neither \${NAME} nor \${NAME:-default}; for a literal one, write \\\${`,
    );
  return parse(0);
}
