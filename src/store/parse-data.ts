import type { JSONVisitor, ParseError } from "jsonc-parser";
import { InvalidDataError } from "../domain/errors.js";
import { tryDecodeUtf8 } from "../files/decode-utf8.js";
import { checkData } from "./check-data.js";
import type { Data } from "./data.js";
import { type JsonScan, scanJson } from "./data-limits.js";

/**
 * Parses the bytes of a data file and fills in defaults.
 *
 * @throws InvalidDataError with the first broken rule and the record, or the line and column; never quotes the file,
 *   which is full of secrets
 */
export function parseData(bytes: Uint8Array, { members }: JsonScan = scanJson(bytes)): Promise<Data> {
  // A chain rather than nested calls: each step releases its input, which is large.
  return decode(bytes)
    .then((text) => parseContent(text, members))
    .then((content) => checkData(content, { isOwn: true }));
}

async function decode(bytes: Uint8Array): Promise<string> {
  const text = tryDecodeUtf8(bytes, { ignoreBOM: true });
  if (text === undefined) throw new InvalidDataError("is not valid UTF-8");
  if (text.startsWith("\uFEFF")) throw new InvalidDataError("starts with a byte order mark, which JSON does not allow");
  if (text.trim() === "") throw new InvalidDataError("is empty");
  return text;
}

async function parseContent(text: string, members: number): Promise<unknown> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // JSON.parse's own message quotes the text.
    throw new InvalidDataError(`is not valid JSON: ${await locateSyntaxError(text)}`);
  }
  // JSON.parse keeps the last of equal keys and drops the others. Comparing counts is much faster than looking for
  // repeated keys: a file of 27 MB has a million keys.
  const place = members === countMembers(content) ? undefined : await locateRepeatedKey(text);
  if (place) throw new InvalidDataError(`has the same key twice in one object: ${place}`);
  return content;
}

/** Where and why `text` stops being JSON: `line 3, column 5: comma expected`. */
export async function locateSyntaxError(text: string): Promise<string> {
  const { default: jsonc } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  try {
    jsonc.parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // Deeply nested brackets exhaust its stack.
  }
  const [first] = errors;
  if (first === undefined) return "it can't be parsed";
  const before = text.slice(0, first.offset).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  const words = jsonc.printParseErrorCode(first.error).replace(/(?<!^)[A-Z]/g, " $&");
  return `line ${before.length}, column ${column}: ${words.toLowerCase()}`;
}

async function locateRepeatedKey(json: string): Promise<string | undefined> {
  const { default: jsonc } = await import("jsonc-parser");
  const openObjects: Set<string>[] = [];
  let place: string | undefined;
  const visitor: JSONVisitor = {
    onObjectBegin: () => void openObjects.push(new Set()),
    onObjectEnd: () => void openObjects.pop(),
    onObjectProperty: (key, _offset, _length, line, column) => {
      const keys = openObjects.at(-1);
      if (keys?.has(key)) place ??= `line ${line + 1}, column ${column + 1}`;
      keys?.add(key);
    },
  };
  try {
    jsonc.visit(json, visitor);
  } catch {
    // As above.
  }
  return place;
}

// Another rule refuses deeper data.
const MAX_DEPTH = 600;

function countMembers(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item, depth + 1);
  // The fastest loop; objects from JSON.parse inherit nothing enumerable.
  else for (const key in value) count += 1 + countMembers((value as Record<string, unknown>)[key], depth + 1);
  return count;
}
