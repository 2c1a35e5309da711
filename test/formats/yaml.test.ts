import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { readYaml, writeYaml } from "../../src/formats/yaml.js";
import { NAME_RULE } from "../../src/model/variable.js";
import { asJson, expectAllRefused, expectSame, table } from "./consumers.js";
import { entriesOf, hasLoneSurrogate } from "./nasty-values.js";

const { held, refused } = table((text) => !hasLoneSurrogate(text));

it("a YAML 1.2 reader and readYaml preserve every value", () => {
  const text = writeYaml(held);
  expectSame(parse(text, { version: "1.2", schema: "core", uniqueKeys: false }), asJson(held));
  expect(readYaml(text)).toEqual(held.map(({ name, value }) => ({ name, value })));
});

it("a YAML 1.1 reader preserves every value", () => {
  expectSame(parse(writeYaml(held), { version: "1.1", uniqueKeys: false }), asJson(held));
});

it("names that YAML 1.1 or 1.2 read as something else stay names", async () => {
  const names = [
    "no",
    "Y",
    "yes",
    "ON",
    "null",
    "Null",
    "true",
    "NaN",
    "_",
    "a.b",
    "a-b",
    "__proto__",
    "e1",
    "_1",
    "E",
  ];
  const entries = names.map((name) => ({ name, type: "STRING" as const, value: "x" }));
  const text = writeYaml(entries);
  expect(readYaml(text)).toEqual(entries.map(({ name, value }) => ({ name, value })));
  for (const version of ["1.1", "1.2"] as const)
    expect(Object.keys(parse(text, { version }))).toEqual(names);
});

it("writeYaml writes a block mapping with every string in double quotes", () => {
  expect(
    writeYaml(entriesOf(["x", "a\nb", 1, 1e21, true, null, [], { a: ["b"], "c d": {} }, "\u0085"])),
  ).toBe(
    'V0: "x"\nV1: "a\\nb"\nV2: 1\nV3: 1.0e+21\nV4: true\nV5: null\nV6: []\nV7:\n  a:\n    - "b"\n  "c d": {}\nV8: "\\u0085"\n',
  );
  expect(writeYaml([])).toBe("{}\n");
});

it("writeYaml refuses half a surrogate pair, nested ones too", () => {
  const nested = { name: "V9999", type: "JSON" as const, value: { a: [{ "\ud800": 1 }] } };
  expectAllRefused(writeYaml, [...refused, nested], held);
});

it("readYaml reads plain and block strings, comments and aliases", () => {
  const text =
    "# c\nA: plain text\nB: |\n  one\n  two\nC: &c [1, 0x10, x]\nD: *c\nE: no\nF: 2001-01-01\nG: ~\n";
  expect(Object.fromEntries(readYaml(text).map(({ name, value }) => [name, value]))).toEqual({
    ...{
      A: "plain text",
      B: "one\ntwo\n",
      C: [1, 16, "x"],
      D: [1, 16, "x"],
      E: "no",
      F: "2001-01-01",
      G: null,
    },
  });
});

it("readYaml merges mappings, and the mapping's own keys win", () => {
  const text =
    'B: &b {x: 1, y: 2}\nC: &c {<<: *b, y: 3}\nD:\n  <<: [*c, {z: 4}]\n  w: 5\nE: {"<<": 6}\nF:\n  G: {<<: {v: 7}}\n<<: {H: 8}\n';
  expect(Object.fromEntries(readYaml(text).map(({ name, value }) => [name, value]))).toEqual({
    ...{
      B: { x: 1, y: 2 },
      C: { x: 1, y: 3 },
      D: { x: 1, y: 3, z: 4, w: 5 },
      E: { "<<": 6 },
      F: { G: { v: 7 } },
      H: 8,
    },
  });
});

it("readYaml notes values that are written otherwise than in the file", () => {
  const notesOf = (text: string) => {
    const notes: string[] = [];
    readYaml(text, { note: (note) => notes.push(note) });
    return notes;
  };
  const changed = ["0644", "3.10", "0x1F", "0o17", "1e3", "+1", "1.0", "True", "NULL", "~", ""];
  const text = [
    "OK: 3.1",
    ...changed.map((value, index) => `A${index}: ${value}`),
    "N:",
    "  - {v: 1.50}",
  ].join("\n");
  expect(notesOf(text)).toEqual([
    "changed by parsing, as 3.10 becomes 3.1: A0 (line 2), A1 (line 3), A2 (line 4), A3 (line 5), A4 (line 6), " +
      "A5 (line 7), A6 (line 8), A7 (line 9), A8 (line 10), A9 (line 11) and 2 more; to keep the text, put it in quotes",
  ]);
  expect(notesOf("N:\n  - {v: 1.50}\nM: '1.50'\n")).toEqual([
    "changed by parsing, as 3.10 becomes 3.1: N (line 2); to keep the text, put it in quotes",
  ]);
  expect(notesOf(writeYaml(held))).toEqual([]);
});

it("merges that repeat mappings without end are refused", () => {
  const lines = Array.from(
    { length: 30 },
    (_, n) => `A${n + 1}: &a${n + 1} {<<: [*a${n}, *a${n}], k${n}: 1}`,
  );
  expect(() => readYaml(`A0: &a0 {x: 1}\n${lines.join("\n")}`)).toThrow(
    "repeat more than 100 times",
  );
  expect(() => readYaml("A: &a {<<: *a}")).toThrow("contain themselves");
});

it.each([
  ["A: {<<: secret}", "a << that merges no mapping, at line 1, column 5"],
  [
    "apiVersion: v1\nkind: Secret\ndata: {A: eA==}",
    expect.stringMatching(/^this is a Kubernetes manifest; .*kubectl get/),
  ],
  [
    "services:\n  web:\n    image: x",
    expect.stringMatching(/^this is a Compose file; .*docker compose config/),
  ],
  ["A: ENC[x]\nsops: {mac: x}", "encrypted by SOPS; use the output of: sops decrypt FILE"],
  ["A: 1\nB: [secret", "not valid YAML, at line 2, column 11"],
  ['A: "secret', "not valid YAML, at line 1, column 11"],
  ["A: 1\nA: secret", "a duplicate key in a mapping, at line 2, column 1"],
  ["A:\n  secret: 1\n  secret: 2", "a duplicate key in a mapping, at line 3, column 3"],
  ["A: {1: secret}", "a key that is not a string, at line 1, column 5"],
  ["true: secret", "a key that is not a string, at line 1, column 1"],
  ["? [secret]\n: 1", "a key that is not a string, at line 1, column 3"],
  ["A: !!timestamp 2001-01-01", "a YAML tag, which a variable can't keep, at line 1, column 16"],
  ["A: !!binary c2VjcmV0", "a YAML tag, which a variable can't keep, at line 1, column 13"],
  ["A: !secret x", "a YAML tag, which a variable can't keep, at line 1, column 12"],
  ["A: .inf", "a number that can't be held exactly (write it as a string), at line 1, column 4"],
  ["A: [.nan]", "a number that can't be held exactly (write it as a string), at line 1, column 5"],
  ["A: 1e999", "a number that can't be held exactly (write it as a string), at line 1, column 4"],
  [
    "A: 3.14159265358979323846",
    "a number that can't be held exactly (write it as a string), at line 1, column 4",
  ],
  [
    "A: 9007199254740993",
    "a number that can't be held exactly (write it as a string), at line 1, column 4",
  ],
  ["A: 1\n---\nB: secret", "more than one YAML document, at line 2, column 1"],
  ["", "must be one YAML mapping of names and values"],
  ["secret", "must be one YAML mapping of names and values"],
  ["- secret", "must be one YAML mapping of names and values"],
  ["a b: secret\nOK: 1", `these can't be variable names: "a b"; a name is ${NAME_RULE}`],
  [
    "A: *secret",
    "YAML aliases without an anchor, that contain themselves, or that repeat more than 100 times",
  ],
  [
    "A: &a [*a]",
    "YAML aliases without an anchor, that contain themselves, or that repeat more than 100 times",
  ],
  [
    bomb(),
    "YAML aliases without an anchor, that contain themselves, or that repeat more than 100 times",
  ],
  [`A: ${"[".repeat(20_000)}${"]".repeat(20_000)}`, expect.stringMatching(/^not valid YAML/)],
])("readYaml refuses case %#", (text, message) => {
  expect(() => readYaml(text)).toThrow(expect.objectContaining({ name: "UsageError", message }));
});

function bomb(): string {
  const lines = ["A0: &a0 [secret, secret]"];
  for (let level = 1; level < 30; level++)
    lines.push(`A${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
  return lines.join("\n");
}

it("a file that calls itself YAML 1.1 is read by the same rules", () => {
  expect(readYaml("%YAML 1.1\n---\nA: no\nB: 2001-01-01\n").map(({ value }) => value)).toEqual([
    "no",
    "2001-01-01",
  ]);
});

it("readYaml reads the output of the yaml package", () => {
  expect(readYaml(stringify(asJson(held.slice(0, 200))))).toHaveLength(200);
});
