import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { parseData } from "../../../src/store/schema/parse-data.js";
import { DATA } from "../../support/data.js";
import { MARKER, marked } from "../broken-data.js";

const encoder = new TextEncoder();

describe("parseData", () => {
  it("reads a data file", async () => {
    expect(await parseData(encoder.encode(JSON.stringify(DATA, null, 2)))).toStrictEqual(DATA);
  });

  it("fills in the defaults of the records that lack them, and only those", async () => {
    const { environments, variables, values } = DATA;
    const written = JSON.stringify({
      version: 1,
      environments: environments.map(({ application, ...rest }) =>
        application === "shop" ? rest : { ...rest, application },
      ),
      variables: variables.map(({ description, application, ...rest }) => ({
        ...(description !== "" && { description }),
        ...(application !== "shop" && { application }),
        ...rest,
      })),
      values,
    });
    const shopIsDefault = JSON.parse(JSON.stringify(DATA).replaceAll('"shop"', '"default"'));
    expect(await parseData(encoder.encode(written))).toStrictEqual(shopIsDefault);
  });

  it.each([
    ["nothing", "", "is empty"],
    ["white space", " \r\n\t", "is empty"],
    [
      "a byte order mark",
      '\uFEFF{"version":1}',
      "starts with a byte order mark, which JSON does not allow",
    ],
    ["null", "null", "must contain one JSON object"],
    ["a list", "[]", "must contain one JSON object"],
    ["a text", `"${MARKER}"`, "must contain one JSON object"],
    ["a number", "1", "must contain one JSON object"],
    ["no version", "{}", "has no version; it must be 1"],
    ["a newer version", '{"version":2}', "has an unknown version; this appvars reads version 1"],
    [
      "a version that is a text",
      '{"version":"1"}',
      "has an unknown version; this appvars reads version 1",
    ],
    [
      "a truncated object",
      '{\n  "version": 1,\n  "values": [',
      ": line 3, column 14: unexpected end of file",
    ],
    [
      "a truncated text",
      `{"version": 1, "x": "${MARKER}`,
      ": line 1, column 21: not a valid string",
    ],
    [
      "a missing comma",
      '{\n  "version": 1\n  "values": []\n}',
      ": line 3, column 3: comma expected",
    ],
    ["a trailing comma", '{\r\n  "version": 1,\r\n}', ": line 3, column 1: property name expected"],
    ["a comment", '{\n  // why\n  "version": 1\n}', ": line 2, column 3: property name expected"],
    [
      "a file that git has merged as text",
      `{"version": 1,\n<<<<<<< HEAD\n"${MARKER}": 1`,
      ": line 2, column 1: a conflict marker of git; to merge by names, run git config merge.appvars.driver " +
        "'appvars merge %O %A %B %P' && git config diff.appvars.textconv 'appvars diff', then git checkout -m with the file",
    ],
    ["two objects", `{"version":1}${MARKER}`, ": line 1, column 14: end of file expected"],
    ["quotes of another kind", `{'${MARKER}': 1}`, ": line 1, column 2: property name expected"],
  ])("rejects %s", async (_what, text, message) => {
    const whole = message.startsWith(":") ? `is not valid JSON${message}` : message;
    await expect(parseData(encoder.encode(text))).rejects.toThrow(new InvalidDataError(whole));
  });

  it.each([
    ["a lone byte", [0x7b, 0x22, 0xff, 0x22, 0x7d]],
    ["half a character", [0x22, 0xc3, 0x22]],
    ["UTF-16", [0x7b, 0x00, 0xd8, 0x00]],
  ])("rejects bytes that are not UTF-8: %s", async (_what, bytes) => {
    await expect(parseData(Uint8Array.from(bytes))).rejects.toThrow(
      new InvalidDataError("is not valid UTF-8"),
    );
  });

  it.each(["__proto__", "constructor", "toString"])("rejects a field called %s", async (field) => {
    const text = `{"version":1,"environments":[],"variables":[],"values":[],"${field}":{}}`;
    await expect(parseData(encoder.encode(text))).rejects.toThrow(`${field} is not a known field`);
  });

  it("rejects brackets that are nested too deeply to parse", async () => {
    await expect(parseData(encoder.encode("[".repeat(200_000)))).rejects.toThrow(
      "is not valid JSON: line 1, column 601: nested more than 600 levels deep",
    );
  });

  it("rejects JSON that is nested too deeply to be written, and names the record", async () => {
    const text = JSON.stringify(DATA).replace(
      '{"beta":["x",null,1.5]}',
      "[".repeat(550) + "]".repeat(550),
    );
    await expect(parseData(encoder.encode(text))).rejects.toThrow(
      "values[3] (id 14): content.value must be a JSON",
    );
  });

  // The next write would put another number into the file, or null.
  it.each([
    ["as a NUMBER", "3000", "1e999"],
    ["as a NUMBER", "3000", "12345678901234567890"],
    ["in a JSON value", '{"beta":["x",null,1.5]}', '{"a":[-1e999]}'],
    ["in a JSON value", "1.5", "0.30000000000000000001"],
  ])(
    "rejects %s a number that JavaScript rounds, with the place",
    async (_where, before, after) => {
      const text = JSON.stringify(DATA).replace(before, after);
      const column = text.indexOf(after) + after.search(/-?\d/) + 1;
      expect(await refusal(encoder.encode(text))).toBe(
        `is not valid JSON: line 1, column ${column}: a number that can't be held exactly (write it as a string)`,
      );
    },
  );

  it.each([
    ["in the file's own object", '"version":1', '"version":1,^"version":1'],
    ["far apart", '"values":[', '^"environments":[],"values":['],
    ["in a record", '"api_secret":"dev-secret"', '"api_secret":"old",^"api_secret":"dev-secret"'],
    [
      "in a record, with an escape",
      '"api_key":"dev-key"',
      '"api_key":"x",^"api\\u005fkey":"dev-key"',
    ],
    ["in a record, with spaces", '"id":2,"app', '"id"\n\t: 2 , ^"id" \r\n :1, "app'],
    ["in a content", '{"value":3000}', '{"value":3000,^"value":3000}'],
    ["in a JSON value", '{"beta":', '{"a":[{"":1,"b":{"":2},^"":3}],"beta":'],
    ["in a JSON value, as __proto__", '{"beta":', '{"__proto__":1,^"__proto__":1,"beta":'],
  ])("rejects a duplicate key %s, with the place", async (_what, before, after) => {
    const [head = "", tail = ""] = JSON.stringify(DATA).replace(before, after).split("^");
    const lines = head.split("\n");
    const place = `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
    expect(tail).not.toBe("");
    expect(await refusal(encoder.encode(head + tail))).toBe(
      `is not valid JSON: ${place}: a duplicate key in an object`,
    );
  });

  it("is not misled by text that looks like a key", async () => {
    const value = {
      ":": '":"',
      '"': "\\",
      "\\": '\\":',
      "": { "": [":", { "": '{"a":1,"a":2}' }] },
      ["__proto__"]: { ["__proto__"]: "\u{1f600}:" },
      é: "\\\\\\",
    };
    for (const indent of [0, 2]) {
      const values = [{ ...DATA.values[3], content: { value } }];
      const text = JSON.stringify({ ...DATA, values }, null, indent);
      expect((await parseData(encoder.encode(text))).values).toEqual(values);
    }
  });

  it("rejects a file cut off anywhere, and never quotes it", async () => {
    const bytes = encoder.encode(JSON.stringify(marked()));
    for (let length = 0; length < bytes.length; length++) {
      const message = await refusal(bytes.subarray(0, length));
      expect(message).toMatch(/^is (empty|not valid JSON: line 1, column \d+: [a-z ]+)$/);
    }
  });

  it("never quotes secrets or values when one character is wrong anywhere", async () => {
    const text = JSON.stringify(marked());
    for (let index = 0; index < text.length; index++) {
      const message = await refusal(
        encoder.encode(`${text.slice(0, index)}}${text.slice(index + 1)}`),
      );
      expect(message).not.toContain(MARKER);
    }
  });
});

/** Why the bytes are refused; `""` when they are not. */
async function refusal(bytes: Uint8Array): Promise<string> {
  return parseData(bytes).then(
    () => "",
    (error: Error) => (error instanceof InvalidDataError ? error.message : `unexpected: ${error}`),
  );
}
