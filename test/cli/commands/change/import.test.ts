import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Data } from "../../../../src/store/data.js";
import { runCli } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const cli = cliWithDataFile();

const write = async (name: string, text: string) => {
  const file = join(await temporaryFolder(), name);
  await writeFile(file, text);
  return file;
};

it.each([
  ["vars.env", "PORT=4000\nNEW_TEXT=007\nNEW_FLAG=true\nNEW_LIST='[1, 2]'\n"],
  ["vars.json", '{"PORT":4000,"NEW_TEXT":"007","NEW_FLAG":true,"NEW_LIST":[1,2]}'],
  ["vars.yaml", 'PORT: 4000\nNEW_TEXT: "007"\nNEW_FLAG: true\nNEW_LIST: [1, 2]\n'],
])("import reads %s, infers types, and keeps other variables", async (name, text) => {
  expect(await cli.run(["import", await write(name, text)])).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
  const { stdout } = await cli.run(["list", "--json", "--values"]);
  const listed = JSON.parse(stdout) as { name: string; type: string; value: unknown }[];
  const types = Object.fromEntries(listed.map((item) => [item.name, [item.type, item.value]]));
  expect(types).toMatchObject({
    PORT: ["NUMBER", 4000],
    NEW_TEXT: ["STRING", "007"],
    NEW_FLAG: ["BOOLEAN", true],
    NEW_LIST: ["JSON", [1, 2]],
    DATABASE_URL: ["STRING", "postgres://localhost/dev"],
  });
});

it.each([
  ["vars.json", JSON.stringify(DATA)],
  ["with-schema.json", JSON.stringify({ $schema: "./appvars.schema.json", ...DATA })],
  ["vars.yaml", `version: 1\nenvironments:\n  - api_secret: hunter2\nvariables: []\nvalues: []\n`],
  ["half.json", JSON.stringify({ environments: DATA.environments, variables: [] })],
  ["vars.env", `version: 1\nenvironments: [{ api_secret: hunter2 }]\nvariables: []\nvalues: []\n`],
])("import refuses the data file %s, whose secrets would become values", async (name, text) => {
  const before = await readFile(cli.path);
  for (const flags of [[], ["--dry-run"]]) {
    const { code, stdout, stderr } = await cli.run(["import", await write(name, text), ...flags]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("is an appvars data file, with the secrets of its environments");
    expect(stderr).toContain(
      "appvars export --data FILE --env NAME --format json | appvars import - --format json",
    );
  }
  expect(await readFile(cli.path)).toEqual(before);
});

it.each([
  ["with a byte order mark", "\ufeffA=1\n", "utf16le"],
  ["big-endian, with a byte order mark", "\ufffeA=1\n", "utf16be"],
  ["without a byte order mark", "A=1\n", "utf16le"],
  ["big-endian, without a byte order mark", "A=1\n", "utf16be"],
])("import says that a file is UTF-16, %s", async (_, text, encoding) => {
  const bytes = Buffer.from(text.replace("\ufffe", "\ufeff"), "utf16le");
  const file = join(await temporaryFolder(), "vars.env");
  await writeFile(file, encoding === "utf16be" ? bytes.swap16() : bytes);
  const message = `appvars: ${file}: its content is UTF-16; save it as UTF-8\n`;
  expect(await cli.run(["import", file])).toEqual({ code: 2, stdout: "", stderr: message });
});

it("import --for reads a dotenv file by the rules of a program, which init --from notes", async () => {
  const file = await write("chamber.env", 'NEW_TOKEN="pa\\"ss\\$x\\!"\n');
  expect(await cli.run(["import", file, "--for", "chamber"])).toEqual({
    code: 0,
    stdout: "",
    stderr: "",
  });
  expect((await cli.run(["get", "NEW_TOKEN"])).stdout).toBe('pa"ss$x!\n');
  const data = join(await temporaryFolder(), "new.json");
  expect((await runCli(["init", "--data", data, "--from", file])).stderr).toContain(
    "backslashes are kept in NEW_TOKEN (line 1); import --for replaces escapes as another program does",
  );
});

it.each([
  [
    ["import", "-", "--format", "json", "--for", "node"],
    "stdin: --for is for dotenv files, not for json",
  ],
  [
    ["import", "-", "--expand", "--for", "node"],
    "option '--for <program>' cannot be used with option '--expand'",
  ],
])("%j is refused", async (args, message) => {
  const result = await runCli([...args, "--data", join(await temporaryFolder(), "new.json")], {
    stdin: "{}",
  });
  expect(result).toMatchObject({ code: 2, stderr: `appvars: ${message}\n` });
});

it("import refuses the file of profiles, whose secrets would become values", async () => {
  const profiles = { version: 1, current: "a", profiles: { a: { api_secret: "hunter2" } } };
  const file = await write("profiles.json", JSON.stringify(profiles));
  const message = `appvars: ${file}: these are the profiles of appvars, with their secrets\n`;
  expect(await cli.run(["import", file])).toEqual({ code: 2, stdout: "", stderr: message });
});

it("import refuses dotenv lines that are not assignments", async () => {
  const text = "GOOD=1\nA B=2\n# a comment\n\nexport ALSO='two\nlines'\nstray\n";
  expect(await cli.run(["import", "-"], text)).toMatchObject({
    code: 2,
    stderr: "appvars: stdin: neither an assignment nor a comment: lines 2, 7\n",
  });
  expect(
    await cli.run(["import", "-"], text.replace("A B=2\n", "").replace("stray\n", "")),
  ).toMatchObject({ code: 0 });
  expect(await cli.get("ALSO")).toBe("two\nlines\n");
});

it("import --dry-run refuses the same input as import", async () => {
  expect(await cli.run(["import", "-", "--dry-run"], "PORT=hunter2\n")).toMatchObject({
    code: 2,
    stdout: "",
  });
  expect(
    await cli.run(["import", "-", "--dry-run", "--format", "json"], '{"a b":1}'),
  ).toMatchObject({ code: 2 });
});

it("import writes nothing if nothing differs", async () => {
  const before = await readFile(cli.path);
  await cli.run(["import", await write("vars.json", '{"PORT":3000}')]);
  expect(await readFile(cli.path)).toEqual(before);
});

it("import reads the output of export, in each format", async () => {
  // The one name that the parser of dotenv files drops.
  await cli.run(["unset", "__proto__"]);
  for (const format of ["dotenv", "json", "yaml"]) {
    const exported = (await cli.run(["export", "--format", format])).stdout;
    expect(exported).toContain("postgres://localhost/dev");
    const fresh = await dataFile({ ...DATA, values: [] });
    const target = { ...cli.env, APPVARS_DATA: fresh.path };
    expect(
      await runCli(["import", "-", "--format", format], { env: target, stdin: exported }),
    ).toMatchObject({
      code: 0,
    });
    expect((await runCli(["export", "--format", format], { env: target })).stdout).toBe(exported);
  }
});

it("import shows the result on a terminal", async () => {
  const file = await write("vars.env", "NEW=x\n");
  const { stderr } = await runCli(["import", file, "--no-color"], { env: cli.env, terminal: true });
  expect(stderr).toBe("appvars: imported: 1 added, 0 changed, 0 unchanged\n");
});

const DOTENVX =
  "BE6xBKPFjhbM+Ja4Fm3yXmaIm5326LnYo1TpitLWkof09U14CHKAjz8G0UQMipYqK0E8pYMc0k+qia9qE4SN41kgfkAYjnESOKhDTrgvVm9s9ukslzkCp4TC0l42miI3KFERyj5T01HNcCo=";

it.each([
  ["import FILE", ""],
  ["run --env-file FILE -- true", "--env-file "],
])(
  "%s refuses values that dotenvx has encrypted, and says how to decrypt them",
  async (line, from) => {
    const file = await write(
      ".env",
      `DOTENV_PUBLIC_KEY="02"\nA="encrypted:${DOTENVX}"\nB=encrypted:${DOTENVX}\nC=encrypted:no\n`,
    );
    expect(await cli.run(line.replace("FILE", file).split(" "))).toEqual({
      code: 2,
      stdout: "",
      stderr: `appvars: ${from}${file}: encrypted: A, B; use the output of: dotenvx decrypt --stdout -f FILE\n`,
    });
  },
);

describe("import --encrypt", () => {
  const VALUES = {
    TOKEN: ["STRING", "s3cret"],
    COUNT: ["NUMBER", "5"],
    ON: ["BOOLEAN", "true"],
    TEXT_IN_JSON: ["JSON", '"123"'],
    LIST: ["JSON", '[1,"a"]'],
  };
  const NAMES = Object.keys(VALUES);
  /** Sets encrypted values, and exports them. */
  const exported = async (...flags: string[]) => {
    cli.env["APPVARS_ENC_KEY"] = "a long key";
    for (const [name, [type = "", text = ""]] of Object.entries(VALUES))
      await cli.run(["set", name, text, "--type", type, "--encrypt"]);
    return cli.run(["export", "--only", NAMES.join(","), ...flags]);
  };
  const stored = async (): Promise<Data> => JSON.parse(await readFile(cli.path, "utf8"));
  const toTest = async (text: string, ...flags: string[]) =>
    cli.run(["import", "-", "--env", "test", ...flags], text);

  it("export notes nothing of decrypted values in a format that import does not read", async () => {
    expect(await exported("--format", "shell")).toMatchObject({ code: 0, stderr: "" });
  });

  it.each(["dotenv", "json"])(
    "a copy by export --format %s and import --encrypt stays encrypted",
    async (format) => {
      const { stdout, stderr } = await exported("--format", format);
      expect(stderr).toContain(
        "appvars: decrypted TOKEN, COUNT, ON, TEXT_IN_JSON, LIST; " +
          "to encrypt them again: appvars import FILE --encrypt TOKEN,COUNT,ON,TEXT_IN_JSON,LIST\n",
      );
      const selected = ["--format", format, "--encrypt", "TOKEN,COUNT,ON,T*_JSON,LIST"];
      expect(await toTest(stdout, ...selected)).toEqual({ code: 0, stdout: "", stderr: "" });
      const { variables, values } = await stored();
      const ids = variables.filter(({ name }) => NAMES.includes(name)).map(({ id }) => id);
      const copies = values.filter(
        (value) => value.environment_id === 2 && ids.includes(value.variable_id),
      );
      expect(copies).toHaveLength(5);
      expect(
        copies.filter(({ content }) => !String(content.value).startsWith("envbee:enc:v1:")),
      ).toEqual([]);
      const json = async (env: string) =>
        (await cli.run(["export", "--only", NAMES.join(","), "--format", "json", "--env", env]))
          .stdout;
      expect(JSON.parse(await json("shop/test"))).toEqual(
        JSON.parse(await json("shop/development")),
      );
      const before = await readFile(cli.path);
      await toTest(stdout, ...selected);
      expect(await readFile(cli.path)).toEqual(before);
    },
  );

  it("without names encrypts every value that is not encrypted yet", async () => {
    const { stdout } = await exported();
    const [{ content } = { content: { value: "" } }] = (await stored()).values.slice(-1);
    await toTest(`${stdout}COPIED='${content.value}'\n`, "--encrypt");
    const { values } = await stored();
    const copies = values
      .filter((value) => value.environment_id === 2)
      .map((value) => value.content.value);
    expect(copies.filter((value) => String(value).startsWith("envbee:enc:v1:")).length).toBe(6);
    expect(copies).toContain(content.value);
  });

  it.each([
    ["a mistyped name", ["--encrypt", "TOKNE"], "--encrypt TOKNE matches no imported variable"],
    [
      "the key on stdin too",
      ["--encrypt", "--enc-key-file", "-"],
      "the values and the key can't both come from stdin",
    ],
    ["no key", ["--encrypt"], "--encrypt needs a key: set APPVARS_ENC_KEY, or add --enc-key-file"],
  ])("refuses %s, and imports nothing", async (mistake, flags, message) => {
    if (mistake !== "no key") cli.env["APPVARS_ENC_KEY"] = "a long key";
    const before = await readFile(cli.path);
    expect(await toTest("TOKEN=s3cret\n", ...flags)).toEqual({
      code: 2,
      stdout: "",
      stderr: `appvars: ${message}\n`,
    });
    expect(await readFile(cli.path)).toEqual(before);
  });
});
