import { describe, expect, it } from "vitest";
import { secretTexts } from "../../src/cli/secret-texts.js";
import { type JsonValue, valueText } from "../../src/domain/variable.js";

/** Without what each value has, its base64. */
function textsOf(value: JsonValue): string[] {
  const base64 = Buffer.from(valueText(value)).toString("base64");
  return secretTexts([{ name: "A", value }]).texts.filter((text) => !base64.startsWith(text));
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
    expect(secretTexts(variables)).toEqual({ texts: ["MTIzNA==", "MTIzNA", "1234"], tooShort: ["PIN", "EMOJI"] });
  });

  it("hold each line of eight characters or more", () => {
    const texts = textsOf("-----BEGIN\r\nMIIEvQIBAD\nshort\n");
    const whole = ["-----BEGIN\r\nMIIEvQIBAD\nshort\n", "-----BEGIN\\r\\nMIIEvQIBAD\\nshort\\n"];
    expect(texts).toEqual(expect.arrayContaining([...whole, "-----BEGIN", "MIIEvQIBAD"]));
    expect(texts).not.toContain("short");
  });

  it("hold the texts of eight characters or more within JSON, at any depth", () => {
    const texts = textsOf({ a: ["password1", "short", { b: "password2" }], c: 12345678 });
    expect(texts).toEqual(expect.arrayContaining(["password1", "password2"]));
    expect(texts).not.toContain("short");
    expect(texts).not.toContain("12345678");
  });

  it("hold what JSON makes of quotes and backslashes", () => {
    expect(textsOf('a"b\\c')).toEqual(expect.arrayContaining(['a"b\\c', 'a\\"b\\\\c']));
  });

  it("hold what JSON in ASCII, shells, URLs and base64 make of a value", () => {
    const value = "it's $5 `ä`";
    expect(secretTexts([{ name: "A", value }]).texts).toEqual([
      "aXQncyAkNSBgw6Rg",
      value,
      "it's $5 `\\u00e4`",
      "it'\\''s $5 `ä`",
      `it'"'"'s $5 \`ä\``,
      "it's \\$5 \\`ä\\`",
      "it\\'s\\ \\$5\\ \\`ä\\`",
      "it's%20%245%20%60%C3%A4%60",
      "it's%20%245%20%60%c3%a4%60",
      "it%27s+%245+%60%C3%A4%60",
      "it%27s+%245+%60%c3%a4%60",
    ]);
  });

  it("are what the environment makes of half a character", () => {
    expect(textsOf("half \ud83d")).toContain("half%20%EF%BF%BD");
  });
});
