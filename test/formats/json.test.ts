import { expect, it } from "vitest";
import { readJson, writeJson } from "../../src/formats/json.js";
import type { JsonValue } from "../../src/kit/text/strict-json.js";
import { NAME_RULE } from "../../src/model/variable.js";
import { asJson, expectSame } from "./consumers.js";
import { ALL_VALUES, entriesOf } from "./nasty-values.js";

const all = entriesOf(ALL_VALUES);

it("JSON.parse and readJson preserve every value", () => {
  expectSame(JSON.parse(writeJson(all)), asJson(all));
  expect(readJson(writeJson(all))).toEqual(all.map(({ name, value }) => ({ name, value })));
});

it("writeJson writes one pretty-printed object with a newline at the end, and __proto__ like any other name", () => {
  const names = { A: "x", __proto: [1] };
  const entries = Object.entries<JsonValue>(names).map(([name, value]) => ({
    name,
    type: "JSON" as const,
    value,
  }));
  expect(writeJson([...entries, { name: "__proto__", type: "STRING", value: "p" }])).toBe(
    '{\n  "A": "x",\n  "__proto": [\n    1\n  ],\n  "__proto__": "p"\n}\n',
  );
  expect(
    readJson('{"__proto__": "p", "constructor": {"__proto__": 1}}').map(({ name }) => name),
  ).toEqual(["__proto__", "constructor"]);
  expect(writeJson([])).toBe("{}\n");
});

it("readJson notes numbers that are written otherwise than in the file", () => {
  const notes: string[] = [];
  const text =
    '{"A": 3.10, "B": "3.10 \\\\\\" {", "C": 1,\n"D": {"x": [1E3, {"y": 2}]},\n "E"\n: -0, "F": 1e+21, "G": [], "H": 1.5}';
  readJson(text, { note: (note) => notes.push(note) });
  expect(notes).toEqual([
    "changed by parsing, as 3.10 becomes 3.1: A (line 1), D (line 2), E (line 4); to keep the text, put it in quotes",
  ]);
  notes.length = 0;
  readJson(writeJson(all), { note: (note) => notes.push(note) });
  expect(notes).toEqual([]);
});

it("readJson ignores a byte order mark", () => {
  expect(readJson('\ufeff{"A": 1}')).toEqual([{ name: "A", value: 1 }]);
});

it.each([
  ['{"A": "secret",\n  "B": secret}', "not valid JSON: line 2, column 8: value expected"],
  ['{"A": "secret"', "not valid JSON: line 1, column 15: unexpected end of file"],
  ['{"A": "secret",}', "not valid JSON: line 1, column 16: property name expected"],
  ['{"A": 1} // secret', "not valid JSON: line 1, column 10: end of file expected"],
  ["", "not valid JSON: line 1, column 1: unexpected end of file"],
  ['{"A": 1,\n "A": "secret"}', "not valid JSON: line 2, column 2: a duplicate key in an object"],
  [
    '{"A": {"secret": 1, "secret": 2}}',
    "not valid JSON: line 1, column 21: a duplicate key in an object",
  ],
  [
    '{"A": [1e999]}',
    "not valid JSON: line 1, column 8: a number that can't be held exactly (write it as a string)",
  ],
  [
    '{"A": 0.30000000000000000004}',
    "not valid JSON: line 1, column 7: a number that can't be held exactly (write it as a string)",
  ],
  [
    '{"A": 9007199254740993}',
    "not valid JSON: line 1, column 7: a number that can't be held exactly (write it as a string)",
  ],
  ['["secret"]', "must be one JSON object of names and values"],
  ["null", "must be one JSON object of names and values"],
  ['"secret"', "must be one JSON object of names and values"],
  [
    '{"a b": "secret", "1": 1, "": 2, "OK": 3}',
    `these can't be variable names: "1", "a b", ""; a name is ${NAME_RULE}`,
  ],
  [
    `{"A": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    "not valid JSON: line 1, column 606: nested more than 600 levels deep",
  ],
])("readJson refuses case %#", (text, message) => {
  expect(() => readJson(text)).toThrow(expect.objectContaining({ name: "UsageError", message }));
});

it("readJson accepts the same key in two objects, and numbers however they are written", () => {
  const values = readJson(
    '{"A": {"k": 1, "o": {"k": 2}}, "B": [{"k": 1}, {"k": 2}], "C": 1e21, "D": 0.30000000000000004, "E": 1.50e-2}',
  );
  expect(values.map(({ name }) => name)).toEqual(["A", "B", "C", "D", "E"]);
});
