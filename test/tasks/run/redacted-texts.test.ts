import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/kit/text/strict-json.js";
import { valueText } from "../../../src/model/variable.js";
import { redactedTexts } from "../../../src/tasks/run/redacted-texts.js";

/** Without base64, which each value has. */
function textsOf(value: JsonValue): string[] {
  const base64 = Buffer.from(valueText(value)).toString("base64");
  return redactedTexts([{ name: "A", value }]).texts.filter((text) => !base64.startsWith(text));
}

describe("redactedTexts", () => {
  it("contains the values as the environment has them", () => {
    expect(textsOf("s3cret")).toEqual(["s3cret"]);
    expect(textsOf(1234)).toEqual(["1234"]);
  });

  it("leaves out true, false, null and empty values", () => {
    const variables = [true, false, null, "true", ""].map((value) => ({ name: "A", value }));
    expect(redactedTexts(variables)).toEqual({ texts: [], tooShort: [] });
  });

  it("leaves out public values", () => {
    const variables = [{ name: "URL", value: "https://shop.example", rules: { secret: false } }];
    expect(redactedTexts(variables)).toEqual({ texts: [], tooShort: [] });
  });

  it("names the variables whose values have fewer than four characters", () => {
    const variables = [
      { name: "PIN", value: 123 },
      { name: "EMOJI", value: "👋👋👋" },
      { name: "LONG", value: "1234" },
    ];
    expect(redactedTexts(variables)).toEqual({
      texts: ["MTIzNA==", "MTIzNA", "1234"],
      tooShort: ["PIN", "EMOJI"],
    });
  });

  it("contains each line of eight characters or more", () => {
    const texts = textsOf("-----BEGIN\r\nMIIEvQIBAD\nshort\n");
    const whole = ["-----BEGIN\r\nMIIEvQIBAD\nshort\n", "-----BEGIN\\r\\nMIIEvQIBAD\\nshort\\n"];
    expect(texts).toEqual(expect.arrayContaining([...whole, "-----BEGIN", "MIIEvQIBAD"]));
    expect(texts).not.toContain("short");
  });

  it("contains strings of eight characters or more in JSON, at any depth", () => {
    const texts = textsOf({ a: ["password1", "short", { b: "password2" }], c: 12345678 });
    expect(texts).toEqual(expect.arrayContaining(["password1", "password2"]));
    expect(texts).not.toContain("short");
    expect(texts).not.toContain("12345678");
  });

  it("contains values as JSON escapes them", () => {
    expect(textsOf('a"b\\c')).toEqual(expect.arrayContaining(['a"b\\c', 'a\\"b\\\\c']));
  });

  it("contains values as ASCII JSON, shells, URLs and base64 write them", () => {
    const value = "it's $5 `ä`";
    expect(redactedTexts([{ name: "A", value }]).texts).toEqual([
      "aXQncyAkNSBgw6Rg",
      value,
      "it's $5 `\\u00e4`",
      "it'\\''s $5 `ä`",
      `it'"'"'s $5 \`ä\``,
      "it's \\$5 \\`ä\\`",
      "it\\'s\\ \\$5\\ \\`ä\\`",
      "it's%20%245%20%60%C3%A4%60",
      "it%27s+%245+%60%C3%A4%60",
      "it's%20%245%20%60%c3%a4%60",
      "it%27s+%245+%60%c3%a4%60",
    ]);
  });

  it("contains half a surrogate pair as the environment has it", () => {
    expect(textsOf("half \ud83d")).toContain("half%20%EF%BF%BD");
  });
});
