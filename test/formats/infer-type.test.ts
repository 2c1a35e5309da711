import { expect, it } from "vitest";
import { inferValue, nativeType } from "../../src/formats/infer-type.js";
import { parseAs } from "../../src/model/variable.js";
import { NASTY_TEXTS, randomTexts } from "./nasty-values.js";

it.each([
  ["true", { type: "BOOLEAN", value: true }],
  ["false", { type: "BOOLEAN", value: false }],
  ["0", { type: "NUMBER", value: 0 }],
  ["-1.5", { type: "NUMBER", value: -1.5 }],
  ["9007199254740991", { type: "NUMBER", value: 9007199254740991 }],
  ["1e-7", { type: "NUMBER", value: 1e-7 }],
  ["{}", { type: "JSON", value: {} }],
  ['[1, {"a": null}]', { type: "JSON", value: [1, { a: null }] }],
])("inferValue infers %s", (text, expected) => {
  expect(inferValue(text)).toEqual(expected);
});

it("inferValue leaves everything else as a STRING", () => {
  const texts = [
    "",
    " true",
    "True",
    "yes",
    "null",
    "007",
    "1.0",
    "1e3",
    "+1",
    ".5",
    "0x10",
    "1_0",
    "-0",
    "NaN",
    "Infinity",
  ];
  texts.push(
    "9007199254740992",
    "12345678901234567890",
    "1e999",
    "{",
    "{a}",
    "[1,]",
    '{"a":1,"a":2}',
    '{"a":1e999}',
  );
  texts.push('"json"', " {}", "envbee:enc:v1:AAAA");
  for (const text of texts) expect(inferValue(text), text).toEqual({ type: "STRING", value: text });
});

it("an inferred value is one that its type parses to, and JSON's numbers and literals are written as they were", () => {
  for (const text of [...NASTY_TEXTS, ...randomTexts(2_000, 7)]) {
    const { type, value } = inferValue(text);
    expect(parseAs(text, type)).toEqual(value);
    if (type === "STRING") expect(value).toBe(text);
    else if (type !== "JSON") expect(String(value)).toBe(text);
  }
});

it("parseAs parses a text by its type", () => {
  expect(parseAs("1", "STRING")).toBe("1");
  expect(parseAs("1e3", "NUMBER")).toBe(1000);
  expect(parseAs("1.0", "NUMBER")).toBe(1);
  expect(parseAs("true", "BOOLEAN")).toBe(true);
  expect(parseAs(' {"a": [1]}\n', "JSON")).toEqual({ a: [1] });
  expect(parseAs('"x"', "JSON")).toBe("x");
});

it("parseAs accepts an encrypted value for every type", () => {
  for (const type of ["STRING", "NUMBER", "BOOLEAN", "JSON"] as const) {
    expect(parseAs("envbee:enc:v1:AAAA", type)).toBe("envbee:enc:v1:AAAA");
  }
});

it.each([
  [
    "NUMBER",
    [
      "secret",
      "",
      " 1",
      "1 ",
      "0x10",
      "01",
      "+1",
      ".5",
      "5.",
      "1e999",
      "NaN",
      "Infinity",
      "9007199254740993",
      "3.14159265358979323846",
      "1E-400",
    ],
  ],
  ["BOOLEAN", ["secret", "", "TRUE", "1", "yes", " true"]],
  [
    "JSON",
    ["secret", "", "{secret}", "[1e999]", '{"secret":1,"secret":2}', "[9007199254740993]", "NaN"],
  ],
] as const)("a %s refuses other text without quoting it", (type, texts) => {
  for (const text of texts) {
    const error = expect.objectContaining({
      name: "UsageError",
      message: expect.not.stringMatching(/secret|1e999/),
    });
    expect(() => parseAs(text, type), text).toThrow(error);
  }
});

it("nativeType finds the type of a value", () => {
  expect(["x", 1, true, null, [], {}].map(nativeType)).toEqual([
    "STRING",
    "NUMBER",
    "BOOLEAN",
    "JSON",
    "JSON",
    "JSON",
  ]);
});
