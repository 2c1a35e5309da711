import { type JsonValue, valueText } from "../domain/variable.js";
import type { Entry } from "./entry.js";
import { firstOf, inAnyString, loneSurrogate, type Refusal, refuse } from "./refuse.js";

/** What Terraform takes as arguments of a module call, so that no variable may be called so. */
const KEPT_BY_TERRAFORM = new Set([
  ...["count", "depends_on", "for_each", "lifecycle", "locals", "providers", "source", "version", "_"],
]);

const keptByTerraform: Refusal = ({ name }) =>
  KEPT_BY_TERRAFORM.has(name) ? "Terraform keeps it for itself" : undefined;

const notIdentifier: Refusal = ({ name }) => (name.includes(".") ? "not an HCL name" : undefined);

/** HCL normalises every string (spec, "Literal Values"), so another form of the same characters would be changed. */
const notNormalised: Refusal = ({ value }) =>
  valueText(value) === valueText(value).normalize("NFC")
    ? undefined
    : "its value is not in Unicode's form NFC, as HCL's are";

const ESCAPES: Record<string, string> = { "\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * `name = value` lines for a Terraform `.tfvars` file, with JSON's values as HCL literals (HCL native syntax
 * specification, "Template Expressions" and "Collection Values").
 */
export function writeTfvars(entries: readonly Entry[]): string {
  refuse(
    "tfvars",
    entries,
    firstOf(notIdentifier, keptByTerraform, inAnyString(firstOf(loneSurrogate, notNormalised))),
  );
  return entries.map(({ name, value }) => `${name} = ${literal(value)}\n`).join("");
}

function literal(value: JsonValue): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const items = Object.entries(value).map(([key, item]) => `${quote(key)} = ${literal(item)}`);
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}

/** `${` and `%{` start a template; doubled, the first character stands for itself. */
function quote(text: string): string {
  const escaped = text.replace(/[\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g, (c) => ESCAPES[c] ?? `\\u${hex(c)}`);
  return `"${escaped.replace(/([$%])\{/g, "$1$1{")}"`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
