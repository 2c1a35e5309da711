import { describe, expect, it } from "vitest";
import { JsonError, parseJson } from "../../../src/kit/text/strict-json.js";

const INEXACT = "a number that can't be held exactly (write it as a string)";

describe("parseJson", () => {
  it.each([
    ["", "line 1, column 1: unexpected end of file"],
    ["{", "line 1, column 2: unexpected end of file"],
    ["[1, 2", "line 1, column 6: unexpected end of file"],
    ['{"a" 1}', "line 1, column 6: colon expected"],
    ['{"a": }', "line 1, column 7: value expected"],
    ['{"a": 1,}', "line 1, column 9: property name expected"],
    ["[1,]", "line 1, column 4: value expected"],
    ["[1}", "line 1, column 3: comma expected"],
    ['{\n\n  "a": tru\n}', "line 3, column 8: value expected"],
    ['{"a": 1.}', "line 1, column 8: comma expected"],
    ['{"a": "\\x"}', "line 1, column 7: not a valid string"],
    ['{"a": "x\n"}', "line 1, column 7: not a valid string"],
    ["{}\n{}", "line 2, column 1: end of file expected"],
    ["/* why */ {}", "line 1, column 1: value expected"],
    ['{\r\n"a" 1}', "line 2, column 5: colon expected"],
    ['{"a": 1, "b": {"a": 2, "a": 3}}', "line 1, column 24: a duplicate key in an object"],
    ['{"a": 1, "\\u0061": 2}', "line 1, column 10: a duplicate key in an object"],
    ['{"__proto__": 1, "__proto__": 2}', "line 1, column 18: a duplicate key in an object"],
    ["[1,\n 12345678901234567890]", `line 2, column 2: ${INEXACT}`],
    ['{"a": -9007199254740993}', `line 1, column 7: ${INEXACT}`],
    ['{"a": 0.1234567890123456789}', `line 1, column 7: ${INEXACT}`],
    ["[1152921504606846976]", `line 1, column 2: ${INEXACT}`],
    ["[1e400]", `line 1, column 2: ${INEXACT}`],
    ["[-1E-400]", `line 1, column 2: ${INEXACT}`],
    ["1.23456789012345678e5", `line 1, column 1: ${INEXACT}`],
    [`[${"9".repeat(400)}]`, `line 1, column 2: ${INEXACT}`],
    ['{\n<<<<<<< HEAD\n"a": 1\n=======\n', "line 2, column 1: a conflict marker of git"],
    ['{"a": 1,\r\n<<<<<<< ours\r\n', "line 2, column 1: a conflict marker of git"],
    ['{"a": 1\n>>>>>>> theirs', "line 2, column 1: comma expected"],
    ["[".repeat(601), "line 1, column 601: nested more than 600 levels deep"],
  ])("refuses %j: %s", (text, message) => {
    const expected = { message, constructor: JsonError };
    expect(() => parseJson(text)).toThrow(expect.objectContaining(expected));
  });

  it.each([
    '{"a": [], "b": {"a": ":{\\":"}, "__proto__": [1, -2.5e3, true, null]}',
    ' "x" ',
    "[]",
    "0",
  ])("returns the same as JSON.parse for %j", (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it("refuses more items than the limit before it parses them", () => {
    expect(parseJson('["a", {"b": 1}]', 3)).toEqual(["a", { b: 1 }]);
    expect(() => parseJson("[[[[[", 3)).toThrow("it has more than 3 values");
  });

  it.each([
    "-0",
    "1E5",
    "0.1",
    "1.50",
    "5e-324",
    "1152921504606847000",
    "0.10000000000000000000",
    `1.${"0".repeat(30)}e3`,
    '{"1e400": "12345678901234567890"}',
  ])("reads %s, which keeps its digits", (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it("reads every number that JavaScript writes", () => {
    const numbers = Array.from(
      { length: 2_000 },
      (_, index) => (index - 1_000) * 1.37 * 10 ** ((index % 600) - 300),
    );
    const all = [
      ...numbers,
      2 ** 60,
      2 ** 53 + 2,
      1e21,
      123e-20,
      Number.MAX_VALUE,
      Number.MIN_VALUE,
    ];
    expect(parseJson(JSON.stringify(all))).toEqual(JSON.parse(JSON.stringify(all)));
  });

  it("reads a long number in linear time", () => {
    expect(parseJson(`1.${"0".repeat(500_000)}`)).toBe(1);
    expect(() => parseJson(`1.${"0".repeat(500_000)}1`)).toThrow(INEXACT);
  });

  it("checks a text of megabytes", () => {
    const text = JSON.stringify({ a: "\n".repeat(5_000_000) });
    expect(parseJson(text)).toEqual({ a: "\n".repeat(5_000_000) });
  });
});
