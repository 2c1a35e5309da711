/** JavaScript keeps this number of digits of any number without an exponent. */
const KEPT_DIGITS = 15;

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

/** A value may have 500 levels; the data around it needs the rest. */
const MAX_DEPTH = 600;

/**
 * Thrown for refused JSON. The message, `line 3, column 5: comma expected`,
 * never quotes the text.
 */
export class JsonError extends Error {
  readonly kind: "invalid" | "conflict marker" | "inexact number";

  constructor(message: string, kind: JsonError["kind"] = "invalid") {
    super(message);
    this.kind = kind;
  }
}

export const INEXACT_NUMBER = "a number that can't be held exactly (write it as a string)";

/**
 * Parses JSON from outside. Unlike `JSON.parse`, it refuses objects with
 * duplicate keys, numbers that would lose digits, and more than 600 levels.
 *
 * @param maxItems the largest number of list items and object members in total,
 *   which limits the memory
 * @throws JsonError
 */
export function parseJson(text: string, maxItems = Number.POSITIVE_INFINITY): JsonValue {
  const { items, members, depth, isExact } = count(text);
  if (items > maxItems) throw new JsonError(`it has more than ${maxItems} values`);
  let value: JsonValue | undefined;
  if (depth <= MAX_DEPTH) {
    try {
      value = JSON.parse(text) as JsonValue;
      // Much faster than a search for repeated keys: a file of 27 MB has a
      // million keys.
      if (isExact && countMembers(value) === members) return value;
    } catch {
      // Its message quotes the text.
    }
  }
  const problem = findProblem(text);
  if (problem || value === undefined) throw problem ?? new JsonError("it can't be parsed");
  return value;
}

const [QUOTE, COLON, COMMA, BACKSLASH] = [0x22, 0x3a, 0x2c, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [POINT, ZERO, NINE, SMALL_E, TO_SMALL] = [0x2e, 0x30, 0x39, 0x65, 0x20];

/** Counts the parts of a string, valid JSON or not, and checks its numbers. */
function count(text: string): { items: number; members: number; depth: number; isExact: boolean } {
  let [items, members, depth, deepest, isExact] = [0, 0, 0, 0, true];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) index = endOfString(text, index);
    else if (unit === COLON) members++;
    else if (unit >= ZERO && unit <= NINE) {
      const start = index;
      let next = text.charCodeAt(index + 1);
      while ((next >= ZERO && next <= NINE) || next === POINT) next = text.charCodeAt(++index + 1);
      const isKept = index - start < KEPT_DIGITS && (next | TO_SMALL) !== SMALL_E;
      isExact &&= isKept || exactNumber(tokenAt(text, start)) !== undefined;
    } else if (unit === COMMA) items++;
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      items++;
      deepest = Math.max(deepest, ++depth);
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--;
  }
  return { items, members, depth: deepest, isExact };
}

/**
 * @param start the index of its first quote
 *
 * @returns the index of its last quote
 */
function endOfString(text: string, start: number): number {
  for (let index = start; ; ) {
    index = text.indexOf('"', index + 1);
    if (index < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(index - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return index;
  }
}

function countMembers(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += countMembers(item);
  // `for … in` is fastest, and objects from JSON.parse inherit nothing
  // enumerable.
  else for (const key in value) members += 1 + countMembers(value[key] as JsonValue);
  return members;
}

/** A token of RFC 8259 after blanks; for a string, only its opening quote. */
const TOKEN =
  /[ \t\n\r]*([{}[\],:"]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)?/y;

/** Returns the token at an index, after blanks; `""` if there is none. */
function tokenAt(text: string, index: number): string {
  TOKEN.lastIndex = index;
  return TOKEN.exec(text)?.[1] ?? "";
}

function findProblem(text: string): JsonError | undefined {
  /** The keys of each open object; `undefined` for a list. */
  const open: (Set<string> | undefined)[] = [];
  let expected: "value" | "property name" | "colon" | "comma" | "end of file" = "value";
  let isFirst = false;
  for (let next = 0; ; next = TOKEN.lastIndex) {
    let token = tokenAt(text, next);
    const start = TOKEN.lastIndex - token.length;
    if (start === text.length)
      return expected === "end of file"
        ? undefined
        : jsonErrorAt(text, start, "unexpected end of file");
    if (token === '"') {
      TOKEN.lastIndex = endOfString(text, start) + 1;
      token = text.slice(start, TOKEN.lastIndex);
      if (!isString(token)) return jsonErrorAt(text, start, "not a valid string");
    }
    const keys = open.at(-1);
    if (open.length > 0 && (isFirst || expected === "comma") && token === (keys ? "}" : "]")) {
      open.pop();
      expected = open.length > 0 ? "comma" : "end of file";
    } else if (expected === "property name" && token.startsWith('"')) {
      const key: string = JSON.parse(token);
      if (keys?.has(key)) return jsonErrorAt(text, start, "a duplicate key in an object");
      keys?.add(key);
      expected = "colon";
    } else if (expected === "colon" && token === ":") expected = "value";
    else if (expected === "comma" && token === ",") expected = keys ? "property name" : "value";
    else if (expected !== "value" || /^[\]},:]?$/.test(token))
      return jsonErrorAt(text, start, `${expected} expected`);
    else if (token === "{" || token === "[") {
      if (open.push(token === "{" ? new Set() : undefined) > MAX_DEPTH)
        return jsonErrorAt(text, start, `nested more than ${MAX_DEPTH} levels deep`);
      expected = token === "{" ? "property name" : "value";
    } else {
      if (/^[-\d]/.test(token) && exactNumber(token) === undefined)
        return jsonErrorAt(text, start, INEXACT_NUMBER, "inexact number");
      expected = open.length > 0 ? "comma" : "end of file";
    }
    isFirst = token === "{" || token === "[";
  }
}

function isString(token: string): boolean {
  try {
    return typeof JSON.parse(token) === "string";
  } catch {
    return false;
  }
}

function jsonErrorAt(
  text: string,
  index: number,
  problem: string,
  kind?: JsonError["kind"],
): JsonError {
  const before = text.slice(0, index).split("\n");
  const position = `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
  return text.startsWith("<<<<<<<", index)
    ? new JsonError(`${position}: a conflict marker of git`, "conflict marker")
    : new JsonError(`${position}: ${problem}`, kind);
}

/** RFC 8259, section 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Parses a number as in JSON. Returns `undefined` for any other text, and for a
 * number that is out of range or loses digits: 9007199254740993 would become
 * …992.
 */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  return NUMBER.test(text) && keepsDigits(text, number) ? number : undefined;
}

/** Whether JavaScript writes the number with the same digits as the text. */
export function keepsDigits(text: string, number: number): boolean {
  return decimalOf(text) === decimalOf(String(number));
}

/** Normalizes a number in JSON or YAML: `15e-1` for `1.50` and `+.15e1`. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)\+?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  // Unlike replacing /0+$/, this takes linear time.
  const [significant] = /^.*[1-9]/.exec(digits) ?? [""];
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
