import {
  type Alias,
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { UsageError } from "../domain/errors.js";
import type { JsonValue } from "../domain/variable.js";
import { checkNames } from "./check-names.js";
import type { ReadEntry } from "./entry.js";

/** Aliases may repeat this much; a bomb (a list of ten lists of ten …) repeats a lot more. */
const MAX_ALIASES = 100;

type Report = (problem: string, node?: unknown) => never;

/**
 * The entries of one YAML 1.2 mapping of names and values (core schema). Refused is what JSON does not have, or what
 * would be lost in silence: explicit tags (dates, binaries, sets), keys that are no string, equal keys, .inf and .nan,
 * whole numbers that a double can't hold exactly, more than one document.
 *
 * @throws UsageError with line and column, which never quotes the text; or that lists bad names
 */
export function readYaml(text: string): ReadEntry[] {
  const lines = new LineCounter();
  const report: Report = (problem, node) => {
    const offset = isNode(node) ? (node.range?.[0] ?? 0) : Number(node);
    const { line, col } = lines.linePos(offset);
    throw new UsageError(`${problem}, at line ${line}, column ${col}`);
  };
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    lineCounter: lines,
    prettyErrors: false,
    // "silent" would be silent about a second document too.
    logLevel: "error",
    intAsBigInt: true,
    // It compares each key with all keys before it; `checkKeys` looks them up.
    uniqueKeys: false,
  });
  checkDocument(document, report);
  const object = toObject(document);
  checkNames(Object.keys(object));
  return Object.entries(object).map(([name, value]) => ({ name, value }));
}

function checkDocument(document: Document.Parsed, report: Report): void {
  const [error] = document.errors;
  // The library's own message may quote the text.
  if (error) report(error.code === "MULTIPLE_DOCS" ? "more than one YAML document" : "not valid YAML", error.pos[0]);
  if (!isMap(document.contents)) throw new UsageError("must be one YAML mapping of names and values");
  visit(document, {
    Node: (_, node) => {
      const { tag } = node as Exclude<typeof node, Alias>;
      if (tag !== undefined) report("a YAML tag, which a variable can't keep", node);
      if (isMap(node)) checkKeys(node, report);
      if (isScalar(node)) toExact(node, report);
    },
  });
}

function checkKeys({ items }: YAMLMap, report: Report): void {
  const keys = new Set<string>();
  for (const { key } of items) {
    if (!isScalar(key) || typeof key.value !== "string") report("a key that is no string", key);
    if (keys.has(key.value)) report("the same key twice in one mapping", key);
    keys.add(key.value);
  }
}

function toExact(scalar: Scalar, report: Report): void {
  const number = typeof scalar.value === "bigint" ? Number(scalar.value) : scalar.value;
  if (typeof number !== "number") return;
  const exact = typeof scalar.value === "bigint" ? BigInt(number) === scalar.value : Number.isFinite(number);
  if (!exact) report("a number that can't be held exactly", scalar);
  scalar.value = number;
}

function toObject(document: Document.Parsed): Record<string, JsonValue> {
  try {
    const object = document.toJS({ maxAliasCount: MAX_ALIASES });
    // Through JSON, so that aliases become copies, and one inside of its own anchor is an error.
    return JSON.parse(JSON.stringify(object));
  } catch {
    throw new UsageError(`YAML aliases that have no anchor, hold themselves, or repeat more than ${MAX_ALIASES} times`);
  }
}
