import { suggestion } from "../../kit/text/nearest.js";
import { isObject } from "../../kit/text/rules.js";

/** The most characters of a schema as compact JSON, and the most steps of its patterns. */
export const MAX_SCHEMA = 16 * 1_024;

/**
 * The keywords of a schema (docs/data-file.md), by their arguments: data, one schema, several
 * schemas by name or in a list. Checking takes time proportional to the size of the schema times
 * the size of the value, so no keyword refers to another schema.
 */
const KEYWORDS = [
  "$schema $comment title description default examples deprecated readOnly writeOnly type enum const format pattern " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems " +
    "minProperties maxProperties required",
  "additionalProperties propertyNames items not if then else",
  "properties patternProperties dependentRequired prefixItems anyOf allOf oneOf",
];

/** A predicate for a schema that can't be in the data. It does not check arguments of keywords. */
export function schemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return "must be an object";
  const isLong = JSON.stringify(schema).length > MAX_SCHEMA;
  return isLong ? `must not have more than ${MAX_SCHEMA} characters` : keywordProblem(schema);
}

function keywordProblem(schema: unknown): string | undefined {
  for (const [keyword, argument] of isObject(schema) ? Object.entries(schema) : []) {
    const kind = KEYWORDS.findIndex((keywords) => keywords.split(" ").includes(keyword));
    if (kind < 0)
      return `has the keyword "${keyword}", which is not supported${suggestion(keyword, KEYWORDS.join(" ").split(" "))}`;
    if (kind === 0) continue;
    const schemas = kind === 1 ? { argument } : (argument ?? {});
    // ajv skips this name.
    if (Object.hasOwn(schemas, "__proto__"))
      return 'has the name "__proto__", which is not supported';
    const problem = Object.values(schemas).map(keywordProblem).find(Boolean);
    if (problem) return problem;
  }
  return undefined;
}
