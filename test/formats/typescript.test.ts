import { expect, it } from "vitest";
import { writeTypescript } from "../../src/formats/typescript.js";
import { aVariable } from "../support/records.js";

it("writeTypescript declares the values, and their texts in process.env", () => {
  const variables = [
    aVariable({ name: "PORT", type: "NUMBER", description: "Where it listens" }),
    { ...aVariable({ name: "DEBUG", type: "BOOLEAN" }), optional: true },
    aVariable({ name: "a.b-c", type: "JSON" }),
    // As @types/node declares it.
    aVariable({ name: "TZ" }),
  ];
  expect(writeTypescript(variables)).toBe(`// Written by appvars export --format typescript.

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export interface Variables {
  /** Where it listens */
  PORT: number;
  DEBUG?: boolean;
  "a.b-c": JsonValue;
  TZ: string;
}

declare global {
  namespace NodeJS {
    interface ProcessEnv {
      /** Where it listens */
      PORT: string;
      DEBUG?: "true" | "false";
      "a.b-c": string;
      TZ?: string | undefined;
    }
  }
}
`);
});

it.each([
  ["STRING", ["debug", 'a"b', "debug", 5], '"debug" | "a\\"b"', '"debug" | "a\\"b"'],
  ["NUMBER", [1, 2.5, 1e21, "1"], "1 | 2.5 | 1e+21", '"1" | "2.5" | "1e+21"'],
  ["BOOLEAN", [true], "true", '"true"'],
  [
    "JSON",
    [{ a: [] }, [1, null], "x"],
    '{"a":[]} | [1,null] | "x"',
    '"{\\"a\\":[]}" | "[1,null]" | "x"',
  ],
  ["STRING", [1], "never", "never"],
  ["STRING", ["\u202e"], '"\\u202e"', '"\\u202e"'],
] as const)("writeTypescript makes a union of the %s values %j", (type, values, value, text) => {
  const lines = writeTypescript([
    { ...aVariable({ name: "A", type }), schema: { enum: values } },
  ]).split("\n");
  expect(lines.filter((line) => /^ *A: /.test(line))).toEqual([
    `  A: ${value};`,
    `      A: ${text};`,
  ]);
});

it("writeTypescript keeps a description on its line, inside the comment", () => {
  const text = writeTypescript([aVariable({ name: "A", description: "x */ y\n\u202ez" })]);
  expect(text).toContain("  /** x *\\/ y\\n\\u{202e}z */\n  A: string;\n");
});
