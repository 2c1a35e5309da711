import { describe, expect, it } from "vitest";
import { decode, ERROR_RULE, HEALTH_RULE, ruleOf } from "../../src/client/decode.js";
import type { Health } from "../../src/model/reads/health.js";
import type { Answer, Read } from "../../src/model/reads/read.js";
import { aVariable } from "../support/records.js";

const VARIABLE = aVariable({ id: 1, name: "A" });
const VALUE = { id: 1, variable_id: 2, content: { value: "x" } };
const METADATA = { limit: 50, offset: 0, total: 1 };
const OK = { uptime: 1.5, message: "OK", date: "2026-01-01T00:00:00.000Z" };

const decoderOf =
  <R extends Read>(read: R) =>
  (json: unknown): Answer<R> =>
    decode(json, ruleOf(read));

const decodeVariable = decoderOf({ kind: "variable", id: 1 });
const decodeValue = decoderOf({ kind: "valueByName", name: "A" });
const decodeContent = decoderOf({ kind: "content", name: "A" });
const variablePage = decoderOf({ kind: "variables", page: { limit: 50, offset: 0 } });
const valuePage = decoderOf({ kind: "values", page: { limit: 50, offset: 0 } });

const NO_IDS = ["1", null, 0, -1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY];

/** An array with this nesting depth. */
function nested(levels: number): unknown {
  return JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
}

/** Name, decoder, a valid example, and invalid contents of each field. */
const RESOURCES: [string, (json: unknown) => unknown, object, Record<string, unknown[]>][] = [
  [
    "variable",
    decodeVariable,
    VARIABLE,
    {
      id: NO_IDS,
      type: ["string", "TEXT", "toString", 1, null],
      name: [
        1,
        null,
        "",
        "A B",
        "1A",
        "A\n",
        "PATH=/evil",
        "NODE_OPTIONS=--require=x ",
        "-x",
        "a/b",
        "A".repeat(256),
      ],
      description: [1, null, {}],
    },
  ],
  [
    "value",
    decodeValue,
    VALUE,
    {
      id: NO_IDS,
      variable_id: NO_IDS,
      content: ["x", null, [], {}, { value: Number.POSITIVE_INFINITY }],
    },
  ],
  [
    "content",
    decodeContent,
    { value: "x" },
    { value: [Number.POSITIVE_INFINITY, { a: [Number.NEGATIVE_INFINITY] }] },
  ],
  [
    "health",
    (json) => decode<Health>(json, HEALTH_RULE),
    OK,
    {
      uptime: ["1.5", null, -1, Number.POSITIVE_INFINITY],
      message: [1, null],
      date: [
        1,
        null,
        "now",
        "2026-01-01",
        "2026-01-01T00:00:00Z",
        "2026-13-01T00:00:00.000Z",
        `\n${OK.date}`,
      ],
    },
  ],
  [
    "page",
    variablePage,
    { metadata: METADATA, data: [VARIABLE] },
    {
      metadata: [null, [], "x", {}, { ...METADATA, total: "1" }],
      data: [null, {}, "x", [null], [VARIABLE, VALUE], [], [{ ...VARIABLE, name: "A=B" }]],
    },
  ],
  [
    "page's metadata",
    (json) => valuePage({ metadata: json, data: [VALUE] }).metadata,
    METADATA,
    {
      limit: ["50", null, 0, 51, 1.5],
      offset: ["0", null, 1, -1],
      total: ["1", null, 0, 2, -1, 1.5, 2_000_001, 1e15, Number.POSITIVE_INFINITY],
    },
  ],
];

describe.each(RESOURCES)("the decoder of a %s", (_name, decode, good, wrong) => {
  it("accepts a valid resource", () => {
    expect(decode(good)).toStrictEqual(good);
  });

  it("drops unknown fields", () => {
    expect(decode({ ...good, extra: 1, environment_id: 3 })).toStrictEqual(good);
  });

  it.each(Object.keys(wrong))("rejects a resource without %s", (field) => {
    const { [field]: _left, ...rest } = good as Record<string, unknown>;
    expect(() => decode(rest)).toThrow(TypeError);
  });

  it.each(
    Object.entries(wrong).flatMap(([field, contents]) =>
      contents.map((content) => [field, content] as const),
    ),
  )("rejects a resource whose %s is %j", (field, content) => {
    expect(() => decode({ ...good, [field]: content })).toThrow(TypeError);
  });

  it.each([null, [], [good], "text", 1, true, undefined])(
    "rejects %j in place of a resource",
    (json) => {
      expect(() => decode(json)).toThrow(TypeError);
    },
  );
});

describe("the decoders", () => {
  it.each(["", 0, false, null, [], { a: null }])("accept the content %j", (value) => {
    expect(decodeContent({ value })).toStrictEqual({ value });
  });

  it.each([501, 100_000])(
    "reject a value nested %d levels deep, without a stack overflow",
    (levels) => {
      expect(() => decodeContent({ value: nested(levels) })).toThrow(
        "value must be JSON that is not nested too deeply",
      );
      expect(decodeContent({ value: nested(500) })).toStrictEqual({ value: nested(500) });
    },
  );

  it("drop unknown fields in the items of a page too", () => {
    const page = {
      metadata: METADATA,
      data: [{ ...VALUE, environment_id: 1, content: { value: "x", more: 1 } }],
    };
    expect(valuePage(page).data).toStrictEqual([VALUE]);
  });

  it("read the message of an error", () => {
    expect(decode<Error>({ message: "Not found", more: 1 }, ERROR_RULE).message).toBe("Not found");
    expect(() => decode({ error: "Not found" }, ERROR_RULE)).toThrow(TypeError);
  });

  it("accept only the item with the requested id", () => {
    expect(decoderOf({ kind: "variable", id: 1 })(VARIABLE)).toStrictEqual(VARIABLE);
    expect(() => decoderOf({ kind: "variable", id: 2 })(VARIABLE)).toThrow(
      "id must be the requested one",
    );
  });

  it("name the field and the rule in errors, without quoting the value", () => {
    const page = (item: object) => () =>
      valuePage({ metadata: { ...METADATA, total: 2 }, data: [VALUE, item] });
    expect(page({ ...VALUE, id: 2, variable_id: "t0p-s3cr3t" })).toThrow(
      "data[1].variable_id must be a positive whole number",
    );
    expect(page({ ...VALUE, id: 2, content: ["t0p-s3cr3t"] })).toThrow(
      "data[1].content must be an object",
    );
    expect(page({ ...VALUE, id: 2, content: { value: Number.POSITIVE_INFINITY } })).toThrow(
      /^data\[1\]\.content\.value must be JSON/,
    );
  });
});

describe("a page", () => {
  const variable = (id: number, name = `V${id}`) => ({ ...VARIABLE, id, name });
  const page = (limit: number, offset: number, total: number, ...ids: number[]) =>
    decoderOf({ kind: "variables", page: { limit: 3, offset: 2 } })({
      metadata: { limit, offset, total },
      data: ids.map((id) => variable(id)),
    });

  it.each([
    ["as long as asked for", [3, 2, 9, 3, 4, 5]],
    ["the last", [3, 2, 4, 3, 4]],
    ["past the end", [3, 2, 2]],
    ["past the end of a list that has become shorter", [3, 2, 1]],
    ["of a server with smaller pages", [2, 2, 9, 3, 4]],
    ["with gaps between its ids", [3, 2, 5, 3, 40, 500]],
  ])("is accepted: %s", (_what, [limit = 0, offset = 0, total = 0, ...ids]) => {
    expect(page(limit, offset, total, ...ids).data.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    ["shorter than it must be", [3, 2, 9, 3], "it must have as much data as metadata says"],
    ["longer than it must be", [3, 2, 4, 3, 4, 5], "it must have as much data as metadata says"],
    ["empty before the end", [3, 2, 9], "it must have as much data as metadata says"],
    [
      "with more than was asked for",
      [4, 2, 9, 3, 4, 5, 6],
      "metadata.limit must be a whole number from 1 to 3",
    ],
    ["another offset", [3, 0, 9, 1, 2, 3], "metadata.offset must be 2, as requested"],
    ["with an id twice", [3, 2, 9, 3, 3, 4], "data must have ids in ascending order"],
    ["in another order", [3, 2, 9, 3, 5, 4], "data must have ids in ascending order"],
  ])("is rejected: %s", (_what, [limit = 0, offset = 0, total = 0, ...ids], message) => {
    expect(() => page(limit, offset, total, ...ids)).toThrow(message);
  });
});
