import type { Data } from "./data.js";

/** The text of a data file: one record a line, so that a diff shows records and a person finds them. */
export function serializeData({ $schema, version, last_ids, environments, variables, values }: Data): string {
  const fields = [
    ...($schema === undefined ? [] : [field("$schema", JSON.stringify($schema))]),
    field("version", JSON.stringify(version)),
    ...(last_ids === undefined ? [] : [field("last_ids", JSON.stringify(last_ids))]),
    field("environments", list(environments)),
    field("variables", list(variables)),
    field("values", list(values)),
  ];
  return `{\n${fields.join(",\n")}\n}\n`;
}

function field(name: string, json: string): string {
  return `  ${JSON.stringify(name)}: ${json}`;
}

function list(records: readonly object[]): string {
  if (records.length === 0) return "[]";
  return `[\n${records.map((record) => `    ${JSON.stringify(record)}`).join(",\n")}\n  ]`;
}
