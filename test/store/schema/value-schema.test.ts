import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { JsonValue } from "../../../src/kit/text/strict-json.js";
import type { JsonSchema } from "../../../src/model/variable.js";
import type { ValueRecord } from "../../../src/store/data.js";
import { schemaProblem } from "../../../src/store/schema/data-rules.js";
import { loadValueChecker } from "../../../src/store/schema/value-checker.js";
import { checkPlainValues, findProblems } from "../../../src/store/schema/value-schema.js";
import { type DATA, edited } from "../../support/data.js";
import { aRecord } from "../../support/records.js";

const checker = await loadValueChecker();
const brokenRule: typeof checker.brokenRule = (schema, value) => checker.brokenRule(schema, value);
const brokenSchema: typeof checker.brokenSchema = (schema) => checker.brokenSchema(schema);

describe("a schema", () => {
  it.each<[schema: object, kept: JsonValue, broken: JsonValue, rule: string]>([
    [{ enum: ["a", "b"] }, "b", "c", "must be equal to one of the allowed values"],
    [{ pattern: "^a+$" }, "aa", "ab", 'must match pattern "^a+$"'],
    [{ pattern: "^\\u{1F600}$" }, "😀", "x", 'must match pattern "^\\u{1F600}$"'],
    [{ minimum: 1 }, 1, 0, "must be >= 1"],
    [{ maximum: 5 }, 5, 6, "must be <= 5"],
    [{ minLength: 2 }, "👋👋", "👋", "must NOT have fewer than 2 characters"],
    [{ maxLength: 1 }, "👋", "ab", "must NOT have more than 1 characters"],
    [{ format: "url" }, "postgres://db/app", "localhost:3000", 'must match format "url"'],
    [{ format: "email" }, "a@example.com", "a@example", 'must match format "email"'],
    [{ format: "port" }, 65_535, 65_536, 'must match format "port"'],
    [{ format: "port" }, "80", "080", 'must match format "port"'],
    [{ format: "duration" }, "90s", "90", 'must match format "duration"'],
    [{ type: "integer" }, 1, 1.5, "must be integer"],
    [{ multipleOf: 0.1 }, 0.3, 0.35, "must be multiple of 0.1"],
    [{ if: { minimum: 5 }, else: { maximum: 3 } }, 7, 4, "must be <= 3"],
    [
      { dependentRequired: { a: ["b"] } },
      { a: 1, b: 1 },
      { a: 1 },
      "must have property b when property a is present",
    ],
    [
      { propertyNames: { maxLength: 1 } },
      { a: 1 },
      { ab: 1 },
      "must NOT have more than 1 characters",
    ],
    [
      { patternProperties: { "^a": { type: "null" } } },
      { a: null, b: 1 },
      { a: 1 },
      "must be null (#/patternProperties/%5Ea/type)",
    ],
    [{ prefixItems: [{ const: 1 }], items: false }, [1], [1, 2], "must NOT have more than 1 items"],
    [
      { required: ["constructor"] },
      { constructor: 1 },
      {},
      "must have required property 'constructor'",
    ],
    [
      { properties: { toString: { type: "string" } } },
      {},
      { toString: 1 },
      "must be string (#/properties/toString/type)",
    ],
    [{ required: ["a"] }, { a: 1 }, {}, "must have required property 'a'"],
    [
      { additionalProperties: { maximum: 1 } },
      {},
      { hunter2: 7 },
      "must be <= 1 (#/additionalProperties/maximum)",
    ],
    [{ const: "a" }, "a", "hunter2", "must be equal to constant"],
  ])("%j accepts %j, and refuses %j by its rule alone", (schema, kept, broken, rule) => {
    expect(brokenRule({ ...schema }, kept)).toBeUndefined();
    expect(brokenRule({ ...schema }, broken)).toBe(rule);
  });

  it.each([
    [{ minimum: "1" }, "schema is invalid: data/minimum must be number"],
    [{ required: "a" }, "schema is invalid: data/required must be array"],
    [{ minium: 1 }, 'it has the keyword "minium", which is not supported (did you mean minimum?)'],
    [
      { format: "constructor" },
      'unknown format "constructor"; the formats are url, email, port, duration',
    ],
    [{ pattern: "(?=a)" }, "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
    [{ $ref: "#/$defs/a" }, 'it has the keyword "$ref", which is not supported'],
    [
      { pattern: "(a{900}b){1}".repeat(20) },
      "its patterns have more than 16384 steps: repeat less",
    ],
  ])("%j is not valid", (schema, message) => {
    expect(brokenSchema({ ...schema })).toBe(message);
    expect(brokenRule({ ...schema }, 1)).toBe(
      `can't be checked: its schema is not valid (${message})`,
    );
  });

  const REFUSED = [
    ...[
      "$ref",
      "$dynamicRef",
      "$recursiveRef",
      "$id",
      "id",
      "$anchor",
      "$dynamicAnchor",
      "$defs",
      "definitions",
    ],
    ...[
      "$vocabulary",
      "$async",
      "$data",
      "$merge",
      "nullable",
      "discriminator",
      "formatMinimum",
      "uniqueItems",
    ],
    ...[
      "contains",
      "minContains",
      "unevaluatedItems",
      "unevaluatedProperties",
      "dependentSchemas",
      "dependencies",
    ],
    ...["contentSchema", "additionalItems", "__proto__", "constructor", "toString", ""],
  ];
  const PLACES: ((schema: object) => object)[] = [
    ...["additionalProperties", "propertyNames", "items", "not", "if", "then", "else"].map(
      (keyword) => (schema: object) => ({ [keyword]: schema }),
    ),
    ...["properties", "patternProperties"].map((keyword) => (schema: object) => ({
      [keyword]: { a: true, b: schema },
    })),
    ...["prefixItems", "anyOf", "allOf", "oneOf"].map((keyword) => (schema: object) => ({
      [keyword]: [true, schema],
    })),
  ];

  it.each(REFUSED)("refuses the keyword %j by its name, wherever a schema can be", (keyword) => {
    const schema = JSON.parse(`{${JSON.stringify(keyword)}: true, "type": "string"}`);
    const problem = `has the keyword "${keyword}", which is not supported`;
    for (const place of [(same: object) => same, ...PLACES]) {
      expect(schemaProblem(place(schema))).toMatch(
        new RegExp(`^${problem.replaceAll("$", "\\$")}`),
      );
      expect(brokenRule({ ...place(schema) }, "a")).toContain(
        "can't be checked: its schema is not valid",
      );
    }
  });

  it("takes no data for a keyword, and no property", () => {
    const data = { $ref: "#", $async: true, uniqueItems: true };
    const rules = { const: data, default: data, enum: [data], examples: [data] };
    const named = { properties: { $ref: { type: "number" } }, required: ["$ref"] };
    expect([
      brokenSchema({ ...rules, ...named }),
      brokenRule({ ...rules, ...named }, data),
    ]).toEqual([undefined, "must be number (#/properties/%24ref/type)"]);
  });

  it("refuses the name __proto__, which ajv leaves out", () => {
    for (const keyword of ["properties", "patternProperties", "dependentRequired"])
      expect(schemaProblem(JSON.parse(`{"${keyword}":{"__proto__":{"type":"string"}}}`))).toBe(
        'has the name "__proto__", which is not supported',
      );
  });

  it("refuses a value for which there is no answer", () => {
    // ajv compares objects by their valueOf, if they have one.
    expect(brokenRule({ const: { valueOf: 1 } }, { valueOf: 2 })).toBe(
      "can't be checked by its schema",
    );
  });

  it("has patterns that take linear time", () => {
    // A backtracking engine would not end.
    expect(brokenRule({ pattern: "^(a+)+$" }, `${"a".repeat(10_000)}b`)).toBe(
      'must match pattern "^(a+)+$"',
    );
  });

  it("has values whose size times that of the schema and of its patterns is bounded", () => {
    const list = (length: number) => Array.from({ length }, () => ({}));
    const members = Object.fromEntries(list(5_000).map((_, index) => [`k${index}`, 1]));
    const choices = { anyOf: list(700).map(() => ({ const: "a" })) };
    const patterns = { allOf: list(5).map(() => ({ pattern: "(a|b|c|d){1000}" })) };
    for (const [schema, value, fitting] of [
      [{ enum: list(5_000) }, members, {}],
      [{ additionalProperties: { anyOf: [...choices.anyOf, { const: 1 }] } }, members, { k: 1 }],
      [patterns, "abcd".repeat(5_000), "abcd".repeat(250)],
      [{ type: "string" }, "a".repeat(10_000_000), "a".repeat(1_000_000)],
    ] as [JsonSchema, JsonValue, JsonValue][]) {
      expect(brokenRule(schema, value)).toBe("is too large for its schema");
      expect(brokenRule(schema, fitting)).toBeUndefined();
    }
  });

  it("is compiled once", async () => {
    const compile = vi.spyOn(Ajv2020.prototype, "compile");
    onTestFinished(() => compile.mockRestore());
    const check = async (schema: JsonSchema) => (await loadValueChecker()).brokenRule(schema, 1);
    const schema = { title: "once" };
    for (const each of [schema, { ...schema }, schema]) await check(each);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it("is data: nothing in it is run as code", () => {
    const text = `"+(globalThis.isRun=true)+"\`\${globalThis.isRun=true}\``;
    expect(
      brokenRule(
        { enum: [text], title: text, pattern: text, properties: { [text]: { const: text } } },
        1,
      ),
    ).toBeDefined();
    expect(brokenRule({ required: [text], dependentRequired: { [text]: [text] } }, {})).toContain(
      "required property",
    );
    expect(globalThis).not.toHaveProperty("isRun");
  });
});

describe("checkPlainValues", () => {
  const ruled = edited(({ variables }) => {
    variables[0].schema = { maximum: 1 };
    variables[7].schema = { maxLength: 1 };
  }) as typeof DATA;

  it("names all that break their schema, and never a value", async () => {
    const values = [
      { name: "PORT", value: 7_777 },
      { name: "DATABASE_URL", value: "hunter2" },
    ];
    await expect(checkPlainValues(ruled, { application: "shop" }, values)).rejects.toThrow(
      /^refused by the schema: PORT must be <= 1$/,
    );
    await expect(checkPlainValues(ruled, { application: "billing" }, values)).rejects.toThrow(
      /^refused by the schema: DATABASE_URL must NOT have more than 1 characters$/,
    );
  });

  it("does not check encrypted values, and values without a schema", async () => {
    const values = [
      { name: "PORT", value: "envbee:enc:v1:AAAA" },
      { name: "NEW", value: 1 },
    ];
    await expect(checkPlainValues(ruled, { application: "shop" }, values)).resolves.toBeUndefined();
  });
});

it("findProblems lets other work have its turn while it compiles many schemas", async () => {
  const ids = Array.from({ length: 200 }, (_, index) => index + 1);
  const variables = ids.map((id) =>
    aRecord({ id, name: `A${id}`, schema: { minLength: id, title: "many" } }),
  );
  const values = ids.map(
    (id): ValueRecord => ({ id, variable_id: id, environment_id: 1, content: { value: "" } }),
  );
  let turns = 0;
  let timer = setImmediate(function count() {
    turns++;
    timer = setImmediate(count);
  });
  const { invalid } = await findProblems(variables, values);
  clearImmediate(timer);
  expect(invalid).toHaveLength(200);
  expect(turns).toBeGreaterThan(1);
});
