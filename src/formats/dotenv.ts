// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in dotenv files
import { UsageError } from "../domain/errors.js";
import { type NamedValue, valueText } from "../domain/variable.js";
import { readAssignments } from "./dotenv-dialects.js";
import { portableForm } from "./dotenv-for.js";
import { type Assignment, expandReferences } from "./dotenv-references.js";
import { addTypes, typeComments } from "./dotenv-types.js";
import {
  entriesOf,
  loneSurrogate,
  noteNames,
  nul,
  type ReadEntry,
  type ReadOptions,
  type Refusal,
  refuse,
  unlessText,
} from "./entry.js";

/** A value that dotenvx has encrypted. */
const DOTENVX = /^encrypted:[A-Za-z0-9+/]{20,}={0,2}$/;

const DROPPED = "dotenv drops this name";

const protoName: Refusal = ({ name }) => (name === "__proto__" ? DROPPED : undefined);

const unquotable = unlessText(
  (text) => portableForm(text) !== undefined,
  "no quotes that all its readers understand: see --for",
);

/**
 * Writes lines that all usual readers of `.env` files read alike. Comments at the top give the types that can't be
 * inferred from the texts.
 */
export function writeDotenv(entries: readonly NamedValue[]): string {
  refuse("dotenv", entries, protoName, nul, loneSurrogate, unquotable);
  const lines = entries.map(({ name, value }) => `${name}=${portableForm(valueText(value))}\n`);
  return typeComments(entries) + lines.join("");
}

/**
 * Reads as the `dotenv` package does, or as another program, with values as text and the types from comments. Refuses
 * names and lines that dotenv silently drops.
 */
export function readDotenv(text: string, { program, expand, note }: ReadOptions = {}): ReadEntry[] {
  const { assignments, unread } = readAssignments(text, program);
  if (assignments.some(({ name }) => name === "__proto__"))
    throw new UsageError(`these can't be read from dotenv: __proto__ (${DROPPED})`);
  const entries = entriesOf(Object.fromEntries(assignments.map(({ name, value }) => [name, value])));
  const places = `line${unread.length > 1 ? "s" : ""} ${unread.join(", ")}`;
  const problem = program ? `not an assignment that --for ${program} reads` : "neither an assignment nor a comment";
  if (unread.length > 0) throw new UsageError(`${problem}: ${places}`);
  const foreign = assignments.filter(({ value }) => DOTENVX.test(value)).map(({ name }) => name);
  if (foreign.length > 0)
    throw new UsageError(`encrypted: ${foreign.join(", ")}; use the output of: dotenvx decrypt --stdout -f FILE`);
  for (const [doubt, advice, applies] of program ? [] : DOUBTS) {
    const doubtful = assignments.filter((assignment) => applies(assignment, expand === true));
    noteNames([doubt, expand === undefined ? "" : advice], doubtful, note);
  }
  return addTypes(text, expand ? expandReferences(assignments) : entries);
}

/** What other readers take for an escape between these quotes. */
const ESCAPES: Record<string, RegExp> = { '"': /\\[\\"$`!abftv]/, "'": /\\'/, "`": /\\`/ };

/** Names come before the advice, which is for a command line. */
type Doubt = [text: string, advice: string, applies: (assignment: Assignment, isExpanded: boolean) => unknown];

/** What other programs read in another way than the dotenv package. */
const DOUBTS: readonly Doubt[] = [
  [
    "$NAME and ${NAME} are taken literally in ",
    "; --expand replaces them",
    ({ value, isLiteral }, isExpanded) => !isExpanded && !isLiteral && /(?<!\\)\$[A-Za-z_{]/.test(value),
  ],
  [
    "backslashes are kept in ",
    "; import --for replaces escapes as another program does",
    ({ quote, raw }, isExpanded) => ESCAPES[quote]?.test(isExpanded ? raw.replaceAll("\\$", "") : raw),
  ],
  ["the text from # on is left out of ", "; to keep it, put the value in quotes", ({ isCut }) => isCut],
  [
    "a quote or a second assignment is part of the value of ",
    "",
    ({ quote, raw }) => (quote ? raw.replaceAll(`\\${quote}`, "").includes(quote) : /^['"`]|;\s*export\s/.test(raw)),
  ],
  ["set more than once, so that the last line counts: ", "", ({ isRepeated }) => isRepeated],
];
