import { describe, expect, it } from "vitest";
import { JsonError, parseJson } from "../../src/domain/strict-json.js";

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
    ['{"a": 1, "b": {"a": 2, "a": 3}}', "line 1, column 24: the same key twice in one object"],
    ['{"a": 1, "\\u0061": 2}', "line 1, column 10: the same key twice in one object"],
    ['{"__proto__": 1, "__proto__": 2}', "line 1, column 18: the same key twice in one object"],
    ["[".repeat(601), "line 1, column 601: nested more than 600 levels deep"],
  ])("refuses %j: %s", (text, message) => {
    expect(() => parseJson(text)).toThrow(new JsonError(message));
  });

  it.each(['{"a": [], "b": {"a": ":{\\":"}, "__proto__": [1, -2.5e3, true, null]}', ' "x" ', "[]", "0"])(
    "returns the same as JSON.parse for %j",
    (text) => {
      expect(parseJson(text)).toEqual(JSON.parse(text));
      expect(parseJson(text, { exact: true })).toEqual(JSON.parse(text));
    },
  );

  it("refuses more items than the limit before it parses them", () => {
    expect(parseJson('["a", {"b": 1}]', { maxItems: 3 })).toEqual(["a", { b: 1 }]);
    expect(() => parseJson("[[[[[", { maxItems: 3 })).toThrow("it has more than 3 values");
  });

  it("checks a text of megabytes", () => {
    const text = JSON.stringify({ a: "\n".repeat(5_000_000) });
    expect(parseJson(text, { exact: true })).toEqual({ a: "\n".repeat(5_000_000) });
  });
});
