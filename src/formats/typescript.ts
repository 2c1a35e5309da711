import { escapeUnits, printable } from "../kit/text/printable.js";
import type { JsonValue } from "../kit/text/strict-json.js";
import { type ValueRules, type Variable, valueFitsType, valueText } from "../model/variable.js";

type Declared = Variable & ValueRules;

const TYPES = { STRING: "string", NUMBER: "number", BOOLEAN: "boolean", JSON: "JsonValue" };

/**
 * Declares the types of the values, and of the strings in `process.env`. An
 * `enum` in a schema becomes a union.
 */
export function writeTypescript(variables: readonly Declared[]): string {
  const members = (toMember: (variable: Declared) => string, indent: string) =>
    variables
      .map((variable) => `${commentOf(variable, indent)}${indent}${toMember(variable)};\n`)
      .join("");
  return (
    "// Written by appvars export --format typescript.\n\n" +
    "export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };\n\n" +
    `export interface Variables {\n${members(valueMember, "  ")}}\n\n` +
    `declare global {\n  namespace NodeJS {\n    interface ProcessEnv {\n${members(textMember, "      ")}    }\n  }\n}\n`
  );
}

function valueMember(variable: Declared): string {
  return `${keyOf(variable)}: ${unionOf(variable, (value) => value) ?? TYPES[variable.type]}`;
}

function textMember(variable: Declared): string {
  // All declarations of a member must be the same, and @types/node declares it
  // like this.
  if (variable.name === "TZ") return "TZ?: string | undefined";
  return `${keyOf(variable)}: ${unionOf(variable, valueText) ?? (variable.type === "BOOLEAN" ? '"true" | "false"' : "string")}`;
}

/** Returns a comment of one line, which the description can't end. */
function commentOf({ description }: Declared, indent: string): string {
  return description && `${indent}/** ${printable(description).replaceAll("*/", "*\\/")} */\n`;
}

function keyOf({ name, optional }: Declared): string {
  return `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${optional ? "?" : ""}`;
}

/**
 * Returns a union of the literals in the schema's `enum`. JSON is also the
 * syntax of literal types.
 */
function unionOf(
  { type, schema }: Declared,
  toLiteral: (value: JsonValue) => JsonValue,
): string | undefined {
  const listed = schema?.["enum"];
  if (!Array.isArray(listed)) return undefined;
  const values: JsonValue[] = listed.filter((value) => valueFitsType(value, type));
  const literals = values.map((value) => printable(JSON.stringify(toLiteral(value)), escapeUnits));
  return [...new Set(literals)].join(" | ") || "never";
}
