import { describe, expect, it } from "vitest";
import { locateSyntaxError } from "../../src/store/parse-data.js";

describe("locateSyntaxError", () => {
  it.each([
    ["{", "line 1, column 2: close brace expected"],
    ["[1, 2", "line 1, column 6: close bracket expected"],
    ['{"a" 1}', "line 1, column 6: colon expected"],
    ['{"a": }', "line 1, column 7: value expected"],
    ['{"a": 1,}', "line 1, column 9: property name expected"],
    ['{\n\n  "a": tru\n}', "line 3, column 8: invalid symbol"],
    ['{"a": NaN}', "line 1, column 7: invalid symbol"],
    ['{"a": 1.}', "line 1, column 7: unexpected end of number"],
    ['{"a": "\\x"}', "line 1, column 7: invalid escape character"],
    ['{"a": "\\u12"}', "line 1, column 7: invalid unicode"],
    ['{"a": "\t"}', "line 1, column 7: invalid character"],
    ['{"a": "x\n"}', "line 1, column 7: unexpected end of string"],
    ["{}\n{}", "line 2, column 1: end of file expected"],
    ["/* why */ {}", "line 1, column 1: invalid comment token"],
    ['{\r\n"a" 1}', "line 2, column 5: colon expected"],
  ])("locateSyntaxError reports the place and the reason for %j: %s", async (text, place) => {
    expect(await locateSyntaxError(text)).toBe(place);
  });

  it("locateSyntaxError has a message for text in which it finds no error", async () => {
    expect(await locateSyntaxError("{}")).toBe("it can't be parsed");
  });
});
