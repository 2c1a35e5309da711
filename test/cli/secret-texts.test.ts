import { describe, expect, it } from "vitest";
import { secretTexts } from "../../src/cli/secret-texts.js";
import type { JsonValue } from "../../src/domain/variable.js";

function textsOf(value: JsonValue): string[] {
  return secretTexts([{ name: "A", value }]).texts;
}

describe("secretTexts", () => {
  it("are the values as the environment has them", () => {
    expect(textsOf("s3cret")).toEqual(["s3cret"]);
    expect(textsOf(1234)).toEqual(["1234"]);
  });

  it("have no words that stand everywhere, and nothing of an empty value", () => {
    const variables = [true, false, null, "true", ""].map((value) => ({ name: "A", value }));
    expect(secretTexts(variables)).toEqual({ texts: [], tooShort: [] });
  });

  it("name the variables whose values have fewer than four characters", () => {
    const variables = [
      { name: "PIN", value: 123 },
      { name: "EMOJI", value: "👋👋👋" },
      { name: "LONG", value: "1234" },
    ];
    expect(secretTexts(variables)).toEqual({ texts: ["1234"], tooShort: ["PIN", "EMOJI"] });
  });

  it("hold each line of eight characters or more", () => {
    expect(textsOf("-----BEGIN\r\nMIIEvQIBAD\nshort\n")).toEqual([
      "-----BEGIN\r\nMIIEvQIBAD\nshort\n",
      "-----BEGIN\\r\\nMIIEvQIBAD\\nshort\\n",
      "-----BEGIN",
      "MIIEvQIBAD",
    ]);
  });

  it("hold the texts of eight characters or more within JSON, at any depth", () => {
    expect(textsOf({ a: ["password1", "short", { b: "password2" }], c: 12345678 })).toEqual(
      expect.arrayContaining(["password1", "password2"]),
    );
    expect(textsOf({ a: "short", c: 12345678 })).toEqual([
      '{"a":"short","c":12345678}',
      '{\\"a\\":\\"short\\",\\"c\\":12345678}',
    ]);
  });

  it("hold what JSON makes of quotes and backslashes", () => {
    expect(textsOf('a"b\\c')).toEqual(['a"b\\c', 'a\\"b\\\\c']);
  });
});
