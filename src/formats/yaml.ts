import {
  Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  type Scalar,
  type ScalarTag,
  visit,
  type YAMLMap,
} from "yaml";
import { UsageError } from "../kit/text/errors.js";
import { escapeUnits } from "../kit/text/printable.js";
import { INEXACT_NUMBER, type JsonValue, keepsDigits } from "../kit/text/strict-json.js";
import { type Mention, noteRewritten, type Reader, toImportedVariables } from "./reader.js";
import { inAnyString, loneSurrogate, refuse, type Writer } from "./writer.js";

/** Limits the repetitions by aliases. A bomb repeats far more. */
const MAX_ALIASES = 100;

/** Limits the merges, since a merged mapping may have merges, too. */
const MAX_MERGES = 1_000;

/** YAML 1.1 requires a point in floats: it reads `1e+21` as a string. */
const EXPONENT: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: (value) => typeof value === "number" && /^-?\de/.test(String(value)),
  test: /^(?!)/,
  resolve: Number,
  stringify: ({ value }) => String(value).replace("e", ".0e"),
};

/**
 * Characters that JSON doesn't escape, but that are not printable or end a line
 * in YAML 1.1.
 */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * Writes one YAML mapping for readers of YAML 1.2 and of 1.1, which most
 * languages still use. Double quotes enclose all strings, and the keys that one
 * of the versions would not read as strings.
 */
export const writeYaml: Writer = (entries) => {
  refuse("yaml", entries, inAnyString(loneSurrogate));
  const document = new Document(new Map(entries.map(({ name, value }) => [name, value])), {
    compat: "yaml-1.1",
    customTags: (tags) => [EXPONENT, ...tags],
    aliasDuplicateObjects: false,
  });
  visit(document, { Pair: (_, { key }) => quoteUnlessWord(key as Scalar) });
  const text = document.toString({
    lineWidth: 0,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  });
  // They only occur between double quotes.
  return text.replace(UNPRINTABLE, escapeUnits);
};

function quoteUnlessWord(key: Scalar): void {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(String(key.value))) key.type = "QUOTE_DOUBLE";
}

type Report = (problem: string, node?: unknown) => never;

/**
 * Reads one YAML 1.2 mapping (core schema and merge keys). Refuses whatever
 * JSON can't hold, or would silently lose: explicit tags (dates, binaries,
 * sets), keys that are not strings, equal keys, .inf and .nan, inexact numbers,
 * more than one document.
 */
export const readYaml: Reader = (text, { note } = {}) => {
  const lines = new LineCounter();
  const report: Report = (problem, node) => {
    const { line, col } = lines.linePos(isNode(node) ? (node.range?.[0] ?? 0) : Number(node));
    throw new UsageError(`${problem}, at line ${line}, column ${col}`);
  };
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    merge: true,
    lineCounter: lines,
    prettyErrors: false,
    // "silent" would also ignore a second document.
    logLevel: "error",
    intAsBigInt: true,
    // `checkKeys` finds equal keys faster: this compares each key with all
    // others.
    uniqueKeys: false,
  });
  const rewritten = checkDocument(document, report, lines);
  const entries = toImportedVariables(toObject(document));
  noteRewritten(rewritten, note);
  return entries;
};

/** Returns the variables whose values will not be written as in the file. */
function checkDocument(document: Document.Parsed, report: Report, lines: LineCounter): Mention[] {
  const rewritten: Mention[] = [];
  const merges = { left: MAX_MERGES };
  const [error] = document.errors;
  // The library's own message may quote the text.
  if (error?.code === "MULTIPLE_DOCS") report("more than one YAML document", error.pos[0]);
  if (error) report("not valid YAML", error.pos[0]);
  if (!isMap(document.contents))
    throw new UsageError("must be one YAML mapping of names and values");
  visit(document, {
    Node: (where, node, [, , variable]) => {
      if ("tag" in node && node.tag !== undefined)
        report("a YAML tag, which a variable can't keep", node);
      if (isMap(node)) checkKeys(node, report, merges);
      if (!isScalar(node) || where === "key") return;
      toExact(node, report);
      if (
        isPair(variable) &&
        typeof node.value !== "string" &&
        node.source?.replace(".0e", "e") !== String(node.value)
      )
        rewritten.push({
          name: String(variable.key),
          line: lines.linePos(node.range?.[0] ?? 0).line,
        });
    },
  });
  return rewritten;
}

function checkKeys({ items }: YAMLMap, report: Report, merges: { left: number }): void {
  const keys = new Set<string>();
  for (const { key, value } of items) {
    if (isScalar(key) && typeof key.value === "symbol") {
      if (isScalar(value) || value === null) report("a << that merges no mapping", key);
      const { addToJSMap: merge } = key;
      key.addToJSMap = (...args) => {
        if (--merges.left < 0) throw new RangeError();
        merge?.(...args);
      };
      continue;
    }
    if (!isScalar(key) || typeof key.value !== "string") report("a key that is not a string", key);
    if (keys.has(key.value)) report("a duplicate key in a mapping", key);
    keys.add(key.value);
  }
}

function toExact(scalar: Scalar, report: Report): void {
  const number = typeof scalar.value === "bigint" ? Number(scalar.value) : scalar.value;
  if (typeof number !== "number") return;
  const text = typeof scalar.value === "number" ? scalar.source : undefined;
  if (!Number.isFinite(number) || !keepsDigits(text ?? String(scalar.value), number))
    report(INEXACT_NUMBER, scalar);
  scalar.value = number;
}

function toObject(document: Document.Parsed): Record<string, JsonValue> {
  try {
    // Through JSON, which copies aliased values, and refuses circular ones.
    return JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: MAX_ALIASES })));
  } catch {
    throw new UsageError(
      `YAML aliases without an anchor, that contain themselves, or that repeat more than ${MAX_ALIASES} times`,
    );
  }
}
