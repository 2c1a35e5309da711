import { UsageError } from "../kit/text/errors.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import { isVariableName, NAME_RULE, type VariableType } from "../model/variable.js";
import { DOTENV_TARGETS } from "./writer.js";

const MAX_NAMES = 10;

/** Reads a file. @throws UsageError with the line, which never quotes the text */
export type Reader = (text: string, options?: ReadOptions) => ImportedVariable[];

export interface ReadOptions {
  note?: Note;
  program?: DotenvProgram | undefined;
  /** Whether references in a dotenv file are replaced. */
  expand?: boolean | undefined;
}

/** The programs whose rules can read a `.env` file. Default: dotenv. */
export const DOTENV_PROGRAMS = [...DOTENV_TARGETS, "chamber"] as const;
export type DotenvProgram = (typeof DOTENV_PROGRAMS)[number];

/** A variable in a file. In a dotenv file, every value is text. */
export interface ImportedVariable {
  name: string;
  value: JsonValue;
  /** The type of the text, if the file gives one. */
  type?: TextType;
}

/**
 * The meaning of a string. JSON is a document, in which `5` is a number. A
 * string in a JSON variable is written without quotes, so it needs a separate
 * name.
 */
export type TextType = VariableType | typeof JSON_STRING;

export const JSON_STRING = "JSON string";

/** @throws UsageError for a file of another kind, and for invalid names */
export function toImportedVariables(object: Record<string, JsonValue>): ImportedVariable[] {
  const isCompose = typeof (object["services"] ?? "") === "object";
  const kind = isCompose
    ? COMPOSE
    : KINDS.find(([, ...names]) => names.every((name) => name in object))?.[0];
  if (kind) throw new UsageError(kind);
  const bad = Object.keys(object).filter((name) => !isVariableName(name));
  if (bad.length > 0)
    throw new UsageError(
      `these can't be variable names: ${bad.map(quote).join(", ")}; a name is ${NAME_RULE}`,
    );
  return Object.entries(object).map(([name, value]) => ({ name, value }));
}

const COMPOSE =
  "this is a Compose file; use the output of: docker compose config --format json | jq .services.NAME.environment";
const SOPS = "encrypted by SOPS; use the output of: sops decrypt FILE";

/** Messages for files of another kind, and the names that identify them. */
const KINDS: readonly (readonly [kind: string, ...names: string[]])[] = [
  ["these are the profiles of appvars, with their secrets", "version", "profiles"],
  [
    "this is an appvars data file, with the secrets of its environments; to copy its values, run: " +
      "appvars export --data FILE --env NAME --format json | appvars import - --format json",
    "environments",
    "variables",
  ],
  [
    "this is a Kubernetes manifest; for a Secret, use the output of: kubectl get secret NAME -o json | jq '.data | map_values(@base64d)'",
    "apiVersion",
    "kind",
  ],
  [SOPS, "sops"],
  [SOPS, "sops_mac"],
];

/** The name may contain control characters, or be the whole file. */
function quote(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** Gives the user names and lines, and never a value. */
type Note = (text: string) => void;

/** A variable, and its line if it is known, counted from 1. */
export interface Mention {
  name: string;
  line?: number;
}

/** Notes `before A (line 1), B (line 3) after`. */
export function noteNames(
  before: string,
  mentions: readonly Mention[],
  after: string,
  note?: Note,
): void {
  const names = mentions.map(({ name, line }) => (line ? `${name} (line ${line})` : name));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  if (names.length > 0) note?.(before + names.slice(0, MAX_NAMES).join(", ") + more + after);
}

/** Notes values that JavaScript writes differently from the file. */
export function noteRewritten(
  mentions: readonly Mention[],
  note?: Note,
  advice = "; to keep the text, put it in quotes",
): void {
  noteNames("changed by parsing, as 3.10 becomes 3.1: ", mentions, advice, note);
}
