import { expect, it } from "vitest";
import { TOOL_READERS, TOOLS } from "../../src/formats/formats.js";
import { readDoppler, readInfisical, readSsm, readVault } from "../../src/formats/from-tools.js";

const parameters = (...names: string[]) =>
  JSON.stringify({ Parameters: names.map((Name) => ({ Name, Type: "String", Value: "x" })) });

it.each([
  [["/shop/test/A"], ["A"]],
  [
    ["/shop/test/A", "/shop/test/mail/B", "/shop/test/mail/C"],
    ["A", "mail_B", "mail_C"],
  ],
  [
    ["/shop/A/B", "/shop/A"],
    ["A_B", "A"],
  ],
  [
    ["A", "B"],
    ["A", "B"],
  ],
  [[], []],
])("the parameters %j become %j", (names, expected) => {
  expect(readSsm(parameters(...names)).map(({ name }) => name)).toEqual(expected);
});

it("values of Vault that are not text keep their types, and text may stand for any", () => {
  const data = { TEXT: "5", NUMBER: 5, FLAG: false, LIST: [1], NOTHING: null };
  expect(readVault(JSON.stringify({ data }))).toEqual([
    { name: "TEXT", value: "5" },
    { name: "NUMBER", value: "5", type: "NUMBER" },
    { name: "FLAG", value: "false", type: "BOOLEAN" },
    { name: "LIST", value: "[1]", type: "JSON" },
    { name: "NOTHING", value: "null", type: "JSON" },
  ]);
});

it("a secret of Vault's first engine may have values named data and metadata", () => {
  expect(readVault('{"data":{"data":"a","metadata":"b"}}').map(({ name }) => name)).toEqual(["data", "metadata"]);
});

it("names of JavaScript's own objects are names like others", () => {
  const names = ["constructor", "__proto__", "toString"];
  const object = `{${names.map((name) => `"${name}":"x"`).join()}}`;
  expect(readDoppler(object).map(({ name }) => name)).toEqual(names);
  expect(readVault(`{"data":{"data":${object},"metadata":{"version":1}}}`).map(({ name }) => name)).toEqual(names);
});

it("a wrong member is named by its place", () => {
  expect(() => readInfisical('[{"key":"A","value":"x"},{"key":"B","value":7}]')).toThrow(
    'not what "infisical export --format json" prints: see "1" > "value"',
  );
  expect(() => readSsm('{"Parameters":[{"Name":"/A"}]}')).toThrow('see "Parameters" > "0" > "Value"');
});

it.each(TOOLS)("what is not printed by %s is refused without a value of it", async (tool) => {
  const read = await TOOL_READERS[tool]();
  const texts = [
    "",
    "hunter2",
    '"hunter2"',
    "[7]",
    "null",
    '{"A":["hunter2"]}',
    '{"data":"hunter2"}',
    '[{"hunter2":1}]',
  ];
  for (const text of texts) {
    let message = "";
    try {
      read(text);
    } catch (error) {
      message = (error as Error).message;
      expect((error as Error).name).toBe("UsageError");
    }
    // Doppler prints an object of any names.
    if (tool !== "doppler" || !text.startsWith('{"data"')) expect(message, text).not.toBe("");
    expect(message).not.toContain("hunter2");
  }
});
