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

/** Like a ciphertext in its length and first bytes only. */
const ciphertext = (hex: string, length = 150) => Buffer.from(hex.padEnd(length * 2, "5a"), "hex").toString("base64");

it.each([
  ["KMS", ciphertext("0102020078"), "AQICAHha"],
  ["KMS in its first form", ciphertext("0101020078"), "AQECAHha"],
  ["the AWS Encryption SDK", ciphertext("01800378"), "AYADeFpa"],
  ["the AWS Encryption SDK 2", ciphertext("020578"), "AgV4Wlpa"],
])("a SecureString that %s has encrypted is refused", (_, Value, start) => {
  expect(Value.slice(0, 8)).toBe(start);
  const parameter = (Type: string) => JSON.stringify({ Parameters: [{ Name: "/shop/A", Type, Value }] });
  expect(() => readSsm(parameter("SecureString"))).toThrow('these are encrypted: "/shop/A"');
  expect(readSsm(parameter("String"))).toEqual([{ name: "A", value: Value }]);
});

it.each([
  ["a short text", ciphertext("01020200", 33)],
  ["other base64", ciphertext("02020200")],
  ["a text that is not base64", `${ciphertext("01020200")} `],
])("a SecureString may begin like a ciphertext: %s", (_, Value) => {
  const parameters = [{ Name: "/shop/A", Type: "SecureString", Value }];
  expect(readSsm(JSON.stringify({ Parameters: parameters }))).toEqual([{ name: "A", value: Value }]);
});

it.each([
  ["a quote", "A='it's # x'\n", ["it's # x"]],
  ["a backslash and a dollar sign", "A='\\' $A \\n'\n", ["\\' $A \\n"]],
  ["nothing but quotes", "A='''\nB=''''\n", ["'", "''"]],
  ["no value", "A=''\n", [""]],
  ["what looks like an assignment", "A='B='c'\n", ["B='c"]],
  ["lines", "A='\nb\n\n# 'c' d\n'\nB='x'\n", ["\nb\n\n# 'c' d\n", "x"]],
  ["lines of Windows in a value", "A='x\r\ny'\nB='z'\n", ["x\r\ny", "z"]],
  ["lines of Windows in the file, after a byte order mark", "\ufeffA='x\r\ny'\r\nB='z'\r\n", ["x\ny", "z"]],
  ["the format dotenv-export", "export A='x'\nexport B='y'\n\n", ["x", "y"]],
  ["nothing", "\n", []],
])("a dotenv file of Infisical is read verbatim: %s", (_, text, expected) => {
  expect(readInfisical(text).map(({ value }) => value)).toEqual(expected);
});

it.each([
  ["A='x'\nB='say 'hi'\nbye'\n", 3],
  ["A='x'\nB=2\nC='z'\n", 2],
  ["A='x' # comment\nB='y'\n", 1],
  ["A='x\n", 1],
  ["A: hunter2\n", 1],
])("a dotenv file of Infisical is refused when it isn't certain what is a value: %j", (text, line) => {
  expect(() => readInfisical(text)).toThrow(
    `line ${line}: where values begin and end is not certain; use "infisical export --format json"`,
  );
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
  expect(readDoppler(object, () => {}).map(({ name }) => name)).toEqual(names);
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
      read(text, () => {});
    } catch (error) {
      message = (error as Error).message;
      expect((error as Error).name).toBe("UsageError");
    }
    // Doppler prints an object of any names, and Infisical may have nothing to print.
    const isPrinted = tool === "doppler" ? text.startsWith('{"data"') : tool === "infisical" && text === "";
    if (!isPrinted) expect(message, text).not.toBe("");
    expect(message).not.toContain("hunter2");
  }
});
