import { MAX_LIMIT, pageBounds } from "../domain/page.js";
import { ENCRYPTED_PREFIX, NAME_PATTERN, VARIABLE_TYPES } from "../domain/variable.js";

const DEFAULTS = pageBounds({});

export const ID = { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;
export const LIMIT = { type: "integer", minimum: 1, default: DEFAULTS.limit } as const;
export const OFFSET = { type: "integer", minimum: 0, default: DEFAULTS.offset } as const;
export const NAME = { type: "string", pattern: NAME_PATTERN.source } as const;

/** The bodies of the contract (spec.md, part 1): exactly these fields, no more and no fewer. */
export const SCHEMAS = {
  PageMetadata: record("What a page says of itself.", {
    limit: { type: "integer", minimum: 1, maximum: MAX_LIMIT, description: "The page size in effect." },
    offset: { type: "integer", minimum: 0, description: "The offset in effect." },
    total: { type: "integer", minimum: 0, description: "All items available." },
  }),
  Variable: record("The definition of a variable. All environments of an application share it.", {
    id: ID,
    type: { type: "string", enum: VARIABLE_TYPES, description: "What JSON value the variable's values are." },
    name: { ...NAME, description: "Unique in an application, case-sensitive." },
    description: { type: "string", description: "Empty where there is none." },
  }),
  VariablePage: page("Variable"),
  ValueContent: record("What a variable holds in the caller's environment.", {
    value: {
      description:
        "The JSON value of the variable's type: a string, a number, true or false, or for JSON anything. A value that " +
        `a client has encrypted is, whatever the type, a string that begins with \`${ENCRYPTED_PREFIX}\`.`,
    },
  }),
  VariableValue: record("What one variable holds in the caller's environment, as a record.", {
    id: { ...ID, description: "The id of this record, not of the variable." },
    variable_id: { ...ID, description: "The id of the variable." },
    content: reference("ValueContent"),
  }),
  VariableValuePage: page("VariableValue"),
  Health: record("How the server is doing.", {
    uptime: { type: "number", minimum: 0, description: "Seconds since the server started." },
    message: { type: "string", description: "`OK`, or with status 503 what is wrong." },
    date: {
      type: "string",
      format: "date-time",
      pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`,
      description: "The server's clock: ISO 8601, UTC, with milliseconds.",
    },
  }),
  Error: record("What went wrong, for a person to read.", { message: { type: "string" } }),
};

export type SchemaName = keyof typeof SCHEMAS;

function page(item: string) {
  return record("Items from `offset` on, at most `limit` of them, by ascending id.", {
    metadata: reference("PageMetadata"),
    data: { type: "array", maxItems: MAX_LIMIT, items: reference(item) },
  });
}

function record(description: string, properties: Record<string, object>) {
  return { type: "object", description, additionalProperties: false, required: Object.keys(properties), properties };
}

function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` };
}
