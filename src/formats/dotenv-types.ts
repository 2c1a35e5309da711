import { UsageError } from "../domain/errors.js";
import { isVariableType, type NamedValue, valueText } from "../domain/variable.js";
import { JSON_STRING, type ReadEntry, type TextType } from "./entry.js";
import { inferValue } from "./infer-type.js";

/** At the top of the file, where it can't be inside the quotes of a value. */
const TYPE_COMMENT = "# appvars type:";

/** Comments for the top of a file, with the types that can't be inferred from the texts. */
export function typeComments(entries: readonly NamedValue[]): string {
  return entries.map(typeComment).join("");
}

function typeComment({ name, type, value }: NamedValue): string {
  const inferred = inferValue(valueText(value));
  if (inferred.type === type && JSON.stringify(inferred.value) === JSON.stringify(value)) return "";
  const textType: TextType = type === "JSON" && typeof value === "string" ? JSON_STRING : type;
  return `${TYPE_COMMENT} ${name} ${textType}\n`;
}

/**
 * Adds the types that comments give.
 *
 * @throws UsageError for an invalid comment, and for one after the first assignment that is not part of a value
 */
export function addTypes(text: string, entries: readonly ReadEntry[]): ReadEntry[] {
  const types = new Map<string, TextType>();
  const lines = text.replace(/^\ufeff/, "").split(/\r\n?|\n/);
  const firstAssignment = lines.findIndex((line) => !/^\s*(#|$)/.test(line));
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith(TYPE_COMMENT)) continue;
    const isLate = firstAssignment >= 0 && index > firstAssignment;
    if (isLate && entries.some(({ value }) => String(value).includes(line))) continue;
    if (isLate) throw new UsageError(`line ${index + 1}: "${TYPE_COMMENT}" must come before the first assignment`);
    const [, name, type = ""] = /^ (\S+) (.+?)\s*$/.exec(line.slice(TYPE_COMMENT.length)) ?? [];
    if (name === undefined || !isTextType(type))
      throw new UsageError(`line ${index + 1} must be ${TYPE_COMMENT} NAME TYPE`);
    types.set(name, type);
  }
  return entries.map((entry) => {
    const type = types.get(entry.name);
    return type ? { ...entry, type } : entry;
  });
}

function isTextType(text: string): text is TextType {
  return text === JSON_STRING || isVariableType(text);
}
