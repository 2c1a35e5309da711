import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { InvalidDataError } from "../../src/kit/text/errors.js";
import type { Rule } from "../../src/kit/text/rules.js";
import { EMPTY_OBJECT_MD5, NAME_PATTERN, VARIABLE_TYPES } from "../../src/model/variable.js";
import type { Data } from "../../src/store/data.js";
import { starterData } from "../../src/store/memory/starter-data.js";
import { DATA_RULE } from "../../src/store/schema/data-rules.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { edited } from "../support/data.js";

const EXAMPLE = await readData("example.json");
const SCHEMA = await readData("appvars.schema.json");
const isValid = new Ajv2020().compile(JSON.parse(SCHEMA));

const KEY = { name: "ana", api_key: "ana-key", api_secret: "secret-of-ana" };
const TIMES = { valid_until: "2026-01-31T12:00:00Z", rotated_at: "2026-01-30T12:00:00.000Z" };
const PREVIOUS = { api_key: "old", api_secret: "old", valid_until: "2026-01-31T12:00:00Z" };

const [NUMBER, LIST, INNER, TEXT] = [1, ["a"], { items: { title: "a" } }, "a"];
const ALL_KEYWORDS = {
  ...{
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $comment: TEXT,
    title: TEXT,
    description: TEXT,
  },
  ...{
    default: { $ref: "#" },
    examples: [{ $async: true }],
    deprecated: true,
    readOnly: true,
    writeOnly: true,
  },
  ...{
    type: ["number", "null"],
    enum: [{ $ref: "#" }],
    const: { $async: true },
    format: "port",
    pattern: TEXT,
  },
  ...{
    minimum: NUMBER,
    maximum: NUMBER,
    exclusiveMinimum: NUMBER,
    exclusiveMaximum: NUMBER,
    multipleOf: NUMBER,
  },
  ...{
    minLength: NUMBER,
    maxLength: NUMBER,
    minItems: NUMBER,
    maxItems: NUMBER,
    minProperties: NUMBER,
  },
  ...{
    maxProperties: NUMBER,
    required: LIST,
    dependentRequired: { a: LIST },
    additionalProperties: false,
  },
  ...{
    propertyNames: INNER,
    items: INNER,
    not: INNER,
    if: INNER,
    else: INNER,
    properties: { $ref: INNER },
  },
  ...{
    patternProperties: { $ref: INNER },
    prefixItems: [INNER],
    anyOf: [INNER],
    allOf: [true],
    oneOf: [INNER],
  },
};

type Edit = Parameters<typeof edited>[0];

describe("the example data file", () => {
  const example: Data = JSON.parse(EXAMPLE);

  test("is valid by the schema", () => {
    expect(isValid(example), JSON.stringify(isValid.errors)).toBe(true);
  });

  test("is valid by the rules of the store, which add nothing to it", async () => {
    expect(await parseData(Buffer.from(EXAMPLE))).toEqual(example);
    expect(example.$schema).toBe("./appvars.schema.json");
  });

  test("has two applications with three environments each", () => {
    const names = ["development", "test", "production"];
    const expected = ["shop", "billing"].flatMap((application) =>
      names.map((name) => `${application}/${name}`),
    );
    expect(example.environments.map(({ application, name }) => `${application}/${name}`)).toEqual(
      expected,
    );
  });

  test("has all four types in each application", () => {
    for (const application of ["shop", "billing"]) {
      const variables = example.variables.filter(
        (variable) => variable.application === application,
      );
      expect(new Set(variables.map(({ type }) => type))).toEqual(new Set(VARIABLE_TYPES));
    }
  });
});

test("the data file of init is valid by the schema and by the rules of the store", async () => {
  const starter = starterData({ examples: true });
  expect(isValid(starter), JSON.stringify(isValid.errors)).toBe(true);
  expect(await parsed(starter)).toEqual(starter);
});

describe("the schema and the store both accept", () => {
  const ACCEPTED: [change: string, edit: Edit][] = [
    ["a $schema", (data) => (data.$schema = "./appvars.schema.json")],
    ["empty lists", (data) => Object.assign(data, { environments: [], variables: [], values: [] })],
    ["a variable without a description", (data) => delete data.variables[0].description],
    [
      "records without an application",
      (data) => {
        for (const record of [...data.environments, ...data.variables].filter(
          (r) => r.application === "billing",
        ))
          delete record.application;
      },
    ],
    ["the largest id", (data) => (data.values[0].id = Number.MAX_SAFE_INTEGER)],
    [
      "an environment's name of 255 characters",
      (data) => (data.environments[0].name = "👋".repeat(255)),
    ],
    ["a variable's name of 255 characters", (data) => (data.variables[0].name = "A".repeat(255))],
    ["a name with a dot and a hyphen", (data) => (data.variables[0].name = "_a.b-C")],
    ["a key of 512 characters", (data) => (data.environments[0].api_key = "~".repeat(512))],
    ["the empty string as a value", (data) => (data.values[1].content.value = "")],
    [
      "a variable that is optional and public",
      (data) => Object.assign(data.variables[0], { optional: true, secret: false }),
    ],
    [
      "a schema",
      (data) => (data.variables[0].schema = { minimum: 1, anyOf: [{ title: "a" }, true] }),
    ],
    ["a schema with all keywords", (data) => (data.variables[0].schema = ALL_KEYWORDS)],
    ["a value that breaks its schema", (data) => (data.variables[0].schema = { maximum: 1 })],
    ["a named key", (data) => (data.environments[0].keys = [KEY])],
    [
      "a named key with all fields",
      (data) =>
        (data.environments[0].keys = [
          { ...KEY, only: ["DB_*", "PORT"], ...TIMES, previous: [PREVIOUS] },
        ]),
    ],
    [
      "a named key that can read nothing",
      (data) => (data.environments[0].keys = [{ ...KEY, only: [] }]),
    ],
    [
      "a key's name in two environments",
      (data) => {
        data.environments[0].keys = [KEY];
        data.environments[1].keys = [{ ...KEY, api_key: "other" }];
      },
    ],
    ["null as a JSON value", (data) => (data.values[3].content.value = null)],
  ];

  test.each(ACCEPTED)("the schema and the store accept %s", async (_what, edit) => {
    const data = edited(edit);
    expect(isValid(data), JSON.stringify(isValid.errors)).toBe(true);
    await expect(parsed(data)).resolves.toBeDefined();
  });
});

describe("the schema and the store both refuse", () => {
  const REFUSED: [change: string, edit: Edit][] = [
    ["no version", (data) => delete data.version],
    ["an unknown version", (data) => (data.version = 2)],
    ["a version as text", (data) => (data.version = "1")],
    ["a $schema that is no text", (data) => (data.$schema = 1)],
    ["an unknown field at the top", (data) => (data.extra = [])],
    ["no environments", (data) => delete data.environments],
    ["no variables", (data) => delete data.variables],
    ["no values", (data) => delete data.values],
    ["a list that is an object", (data) => (data.values = {})],
    ["a record that is null", (data) => (data.variables[0] = null)],
    ["a record that is a list", (data) => (data.environments[0] = [])],
    ["an unknown field of an environment", (data) => (data.environments[0].url = "")],
    ["an unknown field of a variable", (data) => (data.variables[0].value = 1)],
    ["an unknown field of a value", (data) => (data.values[0].name = "PORT")],
    ["an unknown field of a content", (data) => (data.values[0].content.type = "NUMBER")],
    ["an optional that is no boolean", (data) => (data.variables[0].optional = 1)],
    ["a secret that is null", (data) => (data.variables[0].secret = null)],
    ["a schema that is a list", (data) => (data.variables[0].schema = [])],
    ["a schema that is a text", (data) => (data.variables[0].schema = "{}")],
    ...["$ref", "$async", "uniqueItems", "nullable"].flatMap((keyword): [string, Edit][] => [
      [`a schema with ${keyword}`, (data) => (data.variables[0].schema = { [keyword]: true })],
      [
        `a schema with ${keyword} inside`,
        (data) => (data.variables[0].schema = { not: { items: { [keyword]: true } } }),
      ],
    ]),
    [
      "a schema for __proto__",
      (data) =>
        (data.variables[0].schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')),
    ],
    ["an id of 0", (data) => (data.variables[6].id = 0)],
    ["a negative id", (data) => (data.environments[0].id = -1)],
    ["a fractional id", (data) => (data.values[0].id = 1.5)],
    ["an id as text", (data) => (data.values[0].id = "12")],
    ["an id past the safe integers", (data) => (data.values[0].id = 2 ** 53)],
    ["no id", (data) => delete data.values[0].id],
    ["a variable_id as text", (data) => (data.values[0].variable_id = "2")],
    ["an environment_id of null", (data) => (data.values[0].environment_id = null)],
    ["an application of null", (data) => (data.environments[0].application = null)],
    ["an empty application", (data) => (data.environments[0].application = "")],
    ["an application with a slash", (data) => (data.variables[0].application = "a/b")],
    ["an environment without a name", (data) => delete data.environments[0].name],
    ["an environment's name with a newline", (data) => (data.environments[0].name = "dev\n")],
    [
      "an environment's name of 256 characters",
      (data) => (data.environments[0].name = "x".repeat(256)),
    ],
    ["no key", (data) => delete data.environments[0].api_key],
    ["an empty key", (data) => (data.environments[0].api_key = "")],
    ["a key with a comma", (data) => (data.environments[0].api_key = "a,b")],
    ["a key with a newline at its end", (data) => (data.environments[0].api_key = "key\n")],
    ["no secret", (data) => delete data.environments[0].api_secret],
    ["a secret with a space", (data) => (data.environments[0].api_secret = "a secret")],
    ["a secret that is not ASCII", (data) => (data.environments[0].api_secret = "sécret")],
    ["a secret of 513 characters", (data) => (data.environments[0].api_secret = "x".repeat(513))],
    [
      "an unknown field of a named key",
      (data) => (data.environments[0].keys = [{ ...KEY, url: "" }]),
    ],
    [
      "a named key without a name",
      (data) => (data.environments[0].keys = [{ ...KEY, name: undefined }]),
    ],
    [
      "a key's name with a slash",
      (data) => (data.environments[0].keys = [{ ...KEY, name: "a/b" }]),
    ],
    [
      "a named key without a secret",
      (data) => (data.environments[0].keys = [{ ...KEY, api_secret: undefined }]),
    ],
    [
      "a named key's only as a text",
      (data) => (data.environments[0].keys = [{ ...KEY, only: "DB_*" }]),
    ],
    ["a pattern with a comma", (data) => (data.environments[0].keys = [{ ...KEY, only: ["A,B"] }])],
    ["an empty pattern", (data) => (data.environments[0].keys = [{ ...KEY, only: [""] }])],
    [
      "an expiry that is a date",
      (data) => (data.environments[0].keys = [{ ...KEY, valid_until: "2026-01-31" }]),
    ],
    [
      "a rotation that is a number",
      (data) => (data.environments[0].keys = [{ ...KEY, rotated_at: 1 }]),
    ],
    ["a variable without a type", (data) => delete data.variables[0].type],
    ["a type in lower case", (data) => (data.variables[0].type = "number")],
    ["a variable without a name", (data) => delete data.variables[0].name],
    ["a name that begins with a digit", (data) => (data.variables[0].name = "1PORT")],
    [
      "a name that ends in the MD5 of {}",
      (data) => (data.variables[0].name = "PORT99914b932bd37a50b983c5e7c90ae93b"),
    ],
    ["a name with a space", (data) => (data.variables[0].name = "MY PORT")],
    ["a name of 256 characters", (data) => (data.variables[0].name = "A".repeat(256))],
    ["a description of null", (data) => (data.variables[0].description = null)],
    ["no content", (data) => delete data.values[0].content],
    ["a content without a value", (data) => delete data.values[0].content.value],
    ["a content that is the value itself", (data) => (data.values[0].content = 3000)],
  ];

  test.each(REFUSED)("the schema and the store refuse %s", async (_what, edit) => {
    const data = edited(edit);
    expect(isValid(data)).toBe(false);
    await expect(parsed(data)).rejects.toThrow(InvalidDataError);
  });

  test.each(["null", "[]", '"text"', "1"])("%s in place of the object", async (text) => {
    expect(isValid(JSON.parse(text))).toBe(false);
    await expect(parseData(Buffer.from(text))).rejects.toThrow(InvalidDataError);
  });
});

function parsed(data: unknown): Promise<Data> {
  return parseData(Buffer.from(JSON.stringify(data)));
}

function readData(name: string): Promise<string> {
  return readFile(new URL(`../../data/${name}`, import.meta.url), "utf8");
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** The schema with what it refers to in this file. */
function resolved(schema: Schema = {}): Schema {
  const [, name] = /^#\/\$defs\/(.*)$/.exec(schema.$ref ?? "") ?? [];
  return name === undefined ? schema : { ...resolved(JSON.parse(SCHEMA).$defs[name]), ...schema };
}

function allowedBy({ type, const: only, enum: all }: Schema): readonly unknown[] {
  return all ?? (type === "boolean" ? [true, false] : [only]);
}

/** Compares all that both can say. @param place for a failure */
function expectSame(rule: Rule, reference: Schema | undefined, place: string): void {
  const schema = resolved(reference);
  const { properties = {}, required = [], anyOf = [schema] } = schema;
  if (rule.defaultValue !== undefined) expect(schema.default, place).toBe(rule.defaultValue);
  if (rule.integerRange) expect([schema.minimum, schema.maximum], place).toEqual(rule.integerRange);
  if (rule.oneOf) expect(allowedBy(schema), place).toEqual(rule.oneOf);
  if (rule.text) for (const each of anyOf) expect(resolved(each).type, place).toBe("string");
  // Some engines want an escape where JavaScript needs none.
  const pattern = anyOf.map((each) => resolved(each).pattern).join("|");
  if (rule.text instanceof RegExp)
    expect(pattern.replaceAll("\\[", "["), place).toBe(rule.text.source);
  if (rule.items) expectSame(rule.items, schema.items, `${place}[]`);
  if (!rule.fields) return;
  expect(schema.additionalProperties, place).toBe(false);
  expect(new Set(Object.keys(properties)), place).toEqual(new Set(Object.keys(rule.fields)));
  for (const [name, field] of Object.entries(rule.fields)) {
    const isOptional = field.isOptional || field.defaultValue !== undefined;
    expect(required.includes(name), `${place}.${name} is required`).toBe(!isOptional);
    expectSame(field, properties[name], `${place}.${name}`);
  }
}

test("the schema has the fields and the limits of the rules of the store, and no others", () => {
  expectSame(DATA_RULE, JSON.parse(SCHEMA), "data");
  const { pattern, not } = JSON.parse(SCHEMA).$defs.variable.properties.name;
  expect([pattern, not.pattern]).toEqual([NAME_PATTERN.source, `${EMPTY_OBJECT_MD5}$`]);
});
