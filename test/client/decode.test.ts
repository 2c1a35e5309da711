import { describe, expect, it } from "vitest";
import {
  type Decoder,
  decodeContent,
  decodeErrorMessage,
  decodeHealth,
  decodePage,
  decodeValue,
  decodeVariable,
} from "../../src/client/decode.js";

const VARIABLE = { id: 1, type: "STRING", name: "A", description: "" };
const VALUE = { id: 1, variable_id: 2, content: { value: "x" } };
const METADATA = { limit: 50, offset: 0, total: 1 };
const HEALTH = { uptime: 1.5, message: "OK", date: "2026-01-01T00:00:00.000Z" };

/** Name, decoder, a good example, and of each of its fields contents that it can't have. */
const RESOURCES: [string, Decoder<unknown>, object, Record<string, unknown[]>][] = [
  [
    "variable",
    decodeVariable,
    VARIABLE,
    { id: ["1", null], type: ["string", "TEXT", 1, null], name: [1, null], description: [1, null, {}] },
  ],
  ["value", decodeValue, VALUE, { id: ["1", null], variable_id: ["2", null], content: ["x", null, [], {}] }],
  ["content", decodeContent, { value: "x" }, { value: [] }],
  ["health", decodeHealth, HEALTH, { uptime: ["1.5", null], message: [1, null], date: [1, null] }],
  [
    "page",
    decodePage(decodeVariable),
    { metadata: METADATA, data: [VARIABLE] },
    { metadata: [null, [], "x", {}, { ...METADATA, total: "1" }], data: [null, {}, "x", [null], [VARIABLE, VALUE]] },
  ],
  [
    "page's metadata",
    (json) => decodePage(decodeValue)({ metadata: json, data: [] }).metadata,
    METADATA,
    {
      limit: ["50", null],
      offset: ["0", null],
      total: ["1", null],
    },
  ],
];

describe.each(RESOURCES)("the decoder of a %s", (_name, decode, good, wrong) => {
  it("takes it", () => {
    expect(decode(good)).toStrictEqual(good);
  });

  it("drops fields that it does not know", () => {
    expect(decode({ ...good, extra: 1, environment_id: 3 })).toStrictEqual(good);
  });

  it.each(Object.keys(wrong))("refuses it without %s", (field) => {
    const { [field]: _left, ...rest } = good as Record<string, unknown>;
    expect(() => decode(rest)).toThrow(TypeError);
  });

  it.each(Object.entries(wrong).flatMap(([field, contents]) => contents.map((content) => [field, content] as const)))(
    "refuses %s to be %j",
    (field, content) => {
      expect(() => decode({ ...good, [field]: content })).toThrow(TypeError);
    },
  );

  it.each([null, [], [good], "text", 1, true, undefined])("refuses %j in its place", (json) => {
    expect(() => decode(json)).toThrow(TypeError);
  });
});

describe("the decoders", () => {
  it.each(["", 0, false, null, [], { a: null }])("take the value %j for content", (value) => {
    expect(decodeContent({ value })).toStrictEqual({ value });
  });

  it("drop what they do not know in the items of a page too", () => {
    const page = { metadata: METADATA, data: [{ ...VALUE, environment_id: 1, content: { value: "x", more: 1 } }] };
    expect(decodePage(decodeValue)(page).data).toStrictEqual([VALUE]);
  });

  it("read the message of an error", () => {
    expect(decodeErrorMessage({ message: "Not found", more: 1 })).toBe("Not found");
    expect(() => decodeErrorMessage({ error: "Not found" })).toThrow(TypeError);
  });
});
