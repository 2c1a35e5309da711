// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in dotenv files
import { UsageError } from "../kit/text/errors.js";
import { isVariableType, type NamedValue, valueText } from "../model/variable.js";
import { type Comment, readAssignments } from "./dotenv-dialects.js";
import type { DotenvAssignment } from "./dotenv-references.js";
import { portableForm } from "./dotenv-writers.js";
import { inferValue } from "./infer-type.js";
import {
  type DotenvProgram,
  JSON_STRING,
  noteNames,
  type Reader,
  type TextType,
  toImportedVariables,
} from "./reader.js";
import { type ExportCheck, ifText, loneSurrogate, nul, refuse, type Writer } from "./writer.js";

/**
 * Begins a comment with a type. It stands at the top of the file, where it
 * can't be inside quotes.
 */
const TYPE_COMMENT = "# appvars type:";

const DOTENVX = /^encrypted:[A-Za-z0-9+/]{20,}={0,2}$/;

const DROPPED = "dotenv drops this name";

const protoName: ExportCheck = ({ name }) => (name === "__proto__" ? DROPPED : undefined);

const unquotable = ifText(
  { test: (text) => portableForm(text) === undefined },
  "no quotes that all its readers understand: see --for",
);

/**
 * Writes lines that the common readers of `.env` files read alike. Comments at
 * the top give the types that can't be inferred.
 */
export const writeDotenv: Writer = (entries) => {
  refuse("dotenv", entries, protoName, nul, loneSurrogate, unquotable);
  const lines = entries.map(({ name, value }) => `${name}=${portableForm(valueText(value))}\n`);
  return [...entries.flatMap(typeComment), ...lines].join("");
};

function typeComment({ name, type, value }: NamedValue): string[] {
  const inferred = inferValue(valueText(value));
  if (inferred.type === type && JSON.stringify(inferred.value) === JSON.stringify(value)) return [];
  const textType: TextType = type === "JSON" && typeof value === "string" ? JSON_STRING : type;
  return [`${TYPE_COMMENT} ${name} ${textType}\n`];
}

/**
 * Reads like the `dotenv` package or another program. Values are strings, and
 * comments give types. Refuses names and lines that dotenv silently drops.
 */
export const readDotenv: Reader = (text, { program, expand = false, note } = {}) => {
  const { assignments, unread, comments } = readAssignments(
    text,
    expand ? "expanded" : (program ?? "default"),
  );
  if (assignments.some(({ name }) => name === "__proto__"))
    throw new UsageError(`these can't be read from dotenv: __proto__ (${DROPPED})`);
  const entries = toImportedVariables(
    Object.fromEntries(assignments.map(({ name, value }) => [name, value])),
  );
  if (unread.length > 0) throw unreadLinesError(unread, program);
  refuseEncrypted(assignments);
  for (const [before, after, applies] of program ? [] : DOUBTS) {
    const doubtful = assignments.filter((assignment) => applies(assignment, expand));
    noteNames(before, doubtful, after, note);
  }
  const types = readTypes(comments);
  return entries.map((entry) => ({ ...entry, ...types.get(entry.name) }));
};

function unreadLinesError(lines: readonly number[], program?: DotenvProgram): UsageError {
  const problem = program
    ? `not an assignment that --for ${program} reads`
    : "neither an assignment nor a comment";
  return new UsageError(`${problem}: line${lines.length > 1 ? "s" : ""} ${lines.join(", ")}`);
}

function refuseEncrypted(assignments: readonly DotenvAssignment[]): void {
  const names = assignments.flatMap(({ name, value }) => (DOTENVX.test(value) ? name : []));
  if (names.length > 0)
    throw new UsageError(
      `encrypted: ${names.join(", ")}; use the output of: dotenvx decrypt --stdout -f FILE`,
    );
}

/** @throws UsageError for an invalid type, or one after an assignment */
function readTypes(comments: readonly Comment[]) {
  const types = new Map<string, { type: TextType }>();
  for (const { text, line, isLate } of comments) {
    if (!text.startsWith(TYPE_COMMENT)) continue;
    if (isLate)
      throw new UsageError(`line ${line}: "${TYPE_COMMENT}" must come before the first assignment`);
    const [, name, type = ""] =
      /^ (\S+) (.+)$/.exec(text.slice(TYPE_COMMENT.length).trimEnd()) ?? [];
    if (name === undefined || (type !== JSON_STRING && !isVariableType(type)))
      throw new UsageError(`line ${line} must be ${TYPE_COMMENT} NAME TYPE`);
    types.set(name, { type });
  }
  return types;
}

/** The escapes by quote that other readers decode. */
const ESCAPES: Record<string, RegExp> = { '"': /\\[\\"$`!abftv]/, "'": /\\'/, "`": /\\`/ };

type Condition = (assignment: DotenvAssignment, isExpanded: boolean) => unknown;

/**
 * Notes on values that other programs read differently: the text around their
 * names, and the condition.
 */
const DOUBTS: readonly [before: string, after: string, applies: Condition][] = [
  [
    "$NAME and ${NAME} are taken literally in ",
    "; import --expand replaces them",
    ({ value, isLiteral }, isExpanded) =>
      !isExpanded && !isLiteral && /(?<!\\)\$[A-Za-z_{]/.test(value),
  ],
  [
    "backslashes are kept in ",
    "; import --for replaces escapes as another program does",
    ({ quote, raw }, isExpanded) =>
      ESCAPES[quote]?.test(isExpanded ? raw.replaceAll("\\$", "") : raw),
  ],
  [
    "the text from # is dropped from ",
    "; to keep it, put the value in quotes",
    ({ isCut }) => isCut,
  ],
  [
    "a quote or a second assignment is part of the value of ",
    "",
    ({ quote, raw }) =>
      quote ? raw.replaceAll(`\\${quote}`, "").includes(quote) : /^['"`]|;\s*export\s/.test(raw),
  ],
];
