import { describe, expect, it } from "vitest";
import { writeDotenv } from "../../../src/formats/dotenv.js";
import { type ImportFormat, READERS, WRITERS } from "../../../src/formats/formats.js";
import type { JsonValue } from "../../../src/kit/text/strict-json.js";
import { type NamedValue, VARIABLE_TYPES, valueFitsType } from "../../../src/model/variable.js";
import type { Data } from "../../../src/store/data.js";
import { typeEntries } from "../../../src/tasks/transfer/read-import.js";
import { ALL_VALUES } from "../../formats/nasty-values.js";
import { aRecord } from "../../support/records.js";

const NUMBERS = [0, -1, 0.1, 1e21, -1e-7, 5e-324, Number.MAX_VALUE, 2 ** 53, 2 ** 60, -(2 ** 69)];
const LOOKALIKES = [
  "5",
  "007",
  "1e+21",
  "true",
  "null",
  "{}",
  "[1, 2]",
  "[1",
  '"5"',
  '"',
  "envbee:enc:v1:x",
  "hello",
];
const VALUES: JsonValue[] = [
  ...ALL_VALUES,
  ...NUMBERS,
  ...LOOKALIKES,
  true,
  false,
  null,
  ["a"],
  { a: null },
];

/** Each value in a variable of each type that can hold it. */
const ENTRIES: NamedValue[] = VALUES.flatMap((value) =>
  VARIABLE_TYPES.filter((type) => valueFitsType(value, type)).map((type) => ({ type, value })),
).map((entry, index) => ({ name: `V${index}`, ...entry }));

const ENVIRONMENT = {
  id: 1,
  application: "shop",
  name: "test",
  api_key: "key",
  api_secret: "secret",
};

function dataWith(entries: readonly NamedValue[]): Data {
  const variables = entries.map(({ name, type }, index) => aRecord({ id: index + 1, name, type }));
  return { version: 1, environments: [ENVIRONMENT], variables, values: [] };
}

async function exportAndImport(
  format: ImportFormat,
  entries: readonly NamedValue[],
  data: Data,
): Promise<NamedValue[]> {
  const text = (await WRITERS[format]())(entries);
  return typeEntries(
    { what: "a file", entries: (await READERS[format]())(text), isText: format === "dotenv" },
    data,
    ENVIRONMENT,
    () => {},
  );
}

/** As text, by which no value is another: `toEqual` takes long for thousands of them. */
const lines = (entries: readonly NamedValue[]) =>
  entries.map(({ name, type, value }) => `${name} ${type} ${JSON.stringify(value)}`);

function isHeld(entry: NamedValue): boolean {
  try {
    writeDotenv([entry]);
    return true;
  } catch {
    return false;
  }
}

describe("a dotenv export that is imported", () => {
  const held = ENTRIES.filter(isHeld);

  it.each([
    ["an empty data file", dataWith([])],
    ["one with the same variables", dataWith(held)],
  ])("a dotenv export imported into %s keeps types and values", async (_where, data) => {
    expect(held.length).toBeGreaterThan(2_000);
    expect(lines(await exportAndImport("dotenv", held, data))).toEqual(lines(held));
  });

  it("a dotenv import uses the text where the type in the comment does not fit the variable", async () => {
    const entries: NamedValue[] = [
      { name: "ZIP", type: "STRING", value: "5" },
      { name: "COUNT", type: "NUMBER", value: 1e21 },
      { name: "NOTE", type: "JSON", value: "true" },
    ];
    const others = dataWith([
      { name: "ZIP", type: "NUMBER", value: 0 },
      { name: "COUNT", type: "STRING", value: "" },
      { name: "NOTE", type: "BOOLEAN", value: false },
    ]);
    expect(lines(await exportAndImport("dotenv", entries, others))).toEqual([
      "ZIP NUMBER 5",
      'COUNT STRING "1e+21"',
      "NOTE BOOLEAN true",
    ]);
  });

  it("a dotenv import into existing variables keeps their types, despite comments", () => {
    const known = dataWith([{ name: "A", type: "STRING", value: "" }]);
    const { environments } = known;
    const entry = { name: "A", value: "abc", type: "NUMBER" } as const;
    const imported = { what: "a.env", entries: [entry], isText: true };
    expect(
      typeEntries(imported, known, environments[0] as Data["environments"][number], () => {}),
    ).toEqual([{ name: "A", type: "STRING", value: "abc" }]);
  });

  it("a dotenv import notes the numbers that JavaScript writes in another way", () => {
    const known = dataWith([
      { name: "A", type: "NUMBER", value: 1 },
      { name: "B", type: "JSON", value: [] },
      { name: "C", type: "JSON", value: [] },
      { name: "D", type: "STRING", value: "" },
    ]);
    const texts = { A: "3.10", B: "[1.0]", C: '{ "a": 1 }', D: "3.10", E: "3.10" };
    const entries = Object.entries(texts).map(([name, value]) => ({ name, value }));
    const notes: string[] = [];
    typeEntries(
      { what: "a.env", entries, isText: true },
      known,
      ENVIRONMENT,
      (text) => void notes.push(text),
    );
    expect(notes).toEqual([
      "a.env: changed by parsing, as 3.10 becomes 3.1: A, B; to keep a text, use the type STRING",
    ]);
  });

  it("a dotenv export has no comment for a type that can be inferred from the text", () => {
    const plain: NamedValue[] = [
      { name: "A", type: "STRING", value: "hello" },
      { name: "B", type: "NUMBER", value: 5 },
      { name: "C", type: "BOOLEAN", value: true },
      { name: "D", type: "JSON", value: { a: [1] } },
    ];
    expect(writeDotenv(plain)).not.toContain("#");
  });
});

describe.each(["json", "yaml"] as const)("a %s export that is imported", (format) => {
  it("a JSON or YAML export keeps values, and types except for a scalar in a JSON variable", async () => {
    // Half a surrogate pair, which YAML can't hold.
    const entries = ENTRIES.filter(({ value }) => !/\\ud[89a-f]/.test(JSON.stringify(value)));
    const isScalar = (value: JsonValue) => value !== null && typeof value !== "object";
    const expected = entries.map((entry) => {
      const type = { string: "STRING", number: "NUMBER", boolean: "BOOLEAN" }[
        typeof entry.value as "string"
      ];
      return isScalar(entry.value) ? { ...entry, type: type as NamedValue["type"] } : entry;
    });
    expect(lines(await exportAndImport(format, entries, dataWith([])))).toEqual(lines(expected));
    expect(lines(await exportAndImport(format, entries, dataWith(entries)))).toEqual(
      lines(entries),
    );
  });
});
