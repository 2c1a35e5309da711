import { readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { cliWithDataFile } from "../../../support/cli-with-data-file.js";
import { edited } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const cli = cliWithDataFile();

it.each([
  ["a text from the command line", ["DATABASE_URL", "it's new"], undefined, "it's new\n"],
  ["an empty text", ["DATABASE_URL", ""], undefined, "\n"],
  ["stdin without its last newline", ["DATABASE_URL"], "from stdin\n\n", "from stdin\n\n"],
  ["stdin for -", ["DATABASE_URL", "-"], "x", "x\n"],
  ["a number", ["PORT", "4000"], undefined, "4000\n"],
  ["a boolean", ["DEBUG", "false"], undefined, "false\n"],
  ["JSON", ["FLAGS", '{ "a": [1] }'], undefined, '{"a":[1]}\n'],
  ["a new variable, which is a STRING", ["NEW", "007"], undefined, "007\n"],
  ["a new variable of a type", ["NEW", "7", "--type", "number"], undefined, "7\n"],
])("set accepts %s", async (_what, argv, stdin, stdout) => {
  expect(await cli.run(["set", ...argv], stdin)).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await cli.get(argv[0] ?? "")).toBe(stdout);
});

it("set keeps the type of a variable, and changes its description", async () => {
  await cli.run(["set", "PORT", "1", "--description", "New words"]);
  const { stdout } = await cli.run(["show", "PORT", "--json"]);
  expect(JSON.parse(stdout).variable).toMatchObject({ type: "NUMBER", description: "New words" });
});

it.each([
  ["a text for a number", ["PORT", "hunter2"], 2],
  ["a bad name", ["a b", "hunter2"], 2],
  ["a missing environment", ["PORT", "1", "--env", "staging"], 3],
  ["a missing data file", ["PORT", "1", "--data", "/nowhere/x.json"], 8],
  ["--encrypt without a key", ["DATABASE_URL", "hunter2", "--encrypt"], 2],
])("set refuses %s, and changes nothing", async (_what, argv, code) => {
  const before = await readFile(cli.path);
  const result = await cli.run(["set", ...argv]);
  expect([result.code, result.stdout]).toEqual([code, ""]);
  expect(result.stderr).not.toContain("hunter2");
  expect(await readFile(cli.path)).toEqual(before);
});

it("set refuses a lock that is a link, and keeps the files behind it", async () => {
  const victim = await temporaryFolder();
  await writeFile(join(victim, "id_ed25519"), "key");
  await symlink(victim, `${cli.path}.lock`);
  const longAgo = Date.now() / 1_000 - 60;
  await utimes(victim, longAgo, longAgo);
  const { code, stdout, stderr } = await cli.run(["set", "PORT", "1"]);
  expect([code, stdout]).toEqual([8, ""]);
  expect(stderr).toContain(`${cli.path}.lock is not an appvars lock`);
  expect(await readdir(victim)).toEqual(["id_ed25519"]);
});

it.each([
  ["a STRING", ["DATABASE_URL"], "caf\xe9"],
  ["a new variable", ["NEW", "-"], "\xff\xfe"],
  ["JSON", ["FLAGS", "--type", "json"], '{"name":"caf\xe9"}'],
  ["a value to encrypt", ["DATABASE_URL", "--encrypt"], "caf\xe9"],
])("set refuses bytes that are not UTF-8 for %s", async (_what, argv, bytes) => {
  const before = await readFile(cli.path);
  const stdin = Buffer.from(bytes, "latin1");
  const { code, stderr } = await runCli(["set", ...argv], {
    env: { ...cli.env, APPVARS_ENC_KEY: "the key" },
    stdin,
  });
  expect([code, stderr]).toEqual([2, "appvars: the value on stdin is not valid UTF-8\n"]);
  expect(await readFile(cli.path)).toEqual(before);
});

it.each([
  ["VALUE", ["DATABASE_URL", "caf\ufffd"]],
  ["--description", ["DATABASE_URL", "x", "--description", "caf\ufffd"]],
])(
  "set refuses a %s in which Node has replaced bytes that are not UTF-8",
  async (argument, argv) => {
    const before = await readFile(cli.path);
    expect(await cli.run(["set", ...argv])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${argument} is not valid UTF-8`),
    });
    expect(await readFile(cli.path)).toEqual(before);
  },
);

it("set accepts U+FFFD itself on stdin", async () => {
  expect(await cli.run(["set", "DATABASE_URL"], "\ufffd")).toMatchObject({ code: 0 });
  expect(await cli.get("DATABASE_URL")).toBe("\ufffd\n");
});

it.each(["", "\n"])(
  "set refuses the empty stdin %j without VALUE, and accepts it for -",
  async (stdin) => {
    const before = await readFile(cli.path);
    const { code, stderr } = await cli.run(["set", "DATABASE_URL"], stdin);
    const message =
      'there is no value: run appvars set DATABASE_URL VALUE, or write it to stdin; for an empty value, pass "" or -';
    expect([code, stderr]).toEqual([2, `appvars: ${message}\n`]);
    expect(await readFile(cli.path)).toEqual(before);
    expect(await cli.run(["set", "DATABASE_URL", "-"], stdin)).toMatchObject({ code: 0 });
    expect(await cli.get("DATABASE_URL")).toBe("\n");
  },
);

it("set with a description and without VALUE does not read stdin, and changes only the description", async () => {
  const before = await cli.get("DATABASE_URL");
  const set = (...words: string[]) =>
    cli.run(["set", "DATABASE_URL", "--description", ...words], "from stdin");
  expect(await set("Other words")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await cli.get("DATABASE_URL")).toBe(before);
  expect((await cli.run(["show", "DATABASE_URL"])).stdout).toContain("Other words");
  expect(await set("Other words", "--type", "NUMBER")).toMatchObject({ code: 2 });
  expect(await set("Other words", "-")).toMatchObject({ code: 0 });
  expect(await cli.get("DATABASE_URL")).toBe("from stdin\n");
});

it("set with a description of a variable that does not exist says how to set its value", async () => {
  expect(await cli.run(["set", "NOPE", "--description", "x"], "from stdin")).toEqual({
    code: 3,
    stdout: "",
    stderr: 'appvars: there is no variable "NOPE"; to read its value from stdin, add -\n',
  });
});

it("set, unset and env remove print their change with --json, without the value", async () => {
  const json = async (...words: string[]) =>
    JSON.parse((await cli.run([...words, "--json"])).stdout);
  const shop = { application: "shop", environment: "development" };
  expect(await json("set", "NEW", "hunter2")).toEqual({ ...shop, name: "NEW", created: true });
  expect(await json("set", "NEW", "hunter3")).toEqual({ ...shop, name: "NEW", created: false });
  expect(await json("unset", "NEW", "PORT")).toEqual({ ...shop, names: ["NEW", "PORT"] });
  expect(await json("env", "remove", "production", "--yes")).toEqual({
    application: "shop",
    name: "production",
    values: 1,
  });
});

it("set confirms the change on a terminal", async () => {
  expect(
    (await runCli(["set", "PORT", "1", "--no-color"], { env: cli.env, terminal: true })).stderr,
  ).toBe("appvars: set PORT\n");
});

const withKey = (argv: string[]) =>
  runCli(argv, { env: { ...cli.env, APPVARS_ENC_KEY: "the key" } });

it("encrypted values are stored encrypted, and read with the key", async () => {
  await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
  await withKey(["set", "PORT", "8080", "--encrypt"]);
  const file = await readFile(cli.path, "utf8");
  expect(file).not.toContain("hunter2");
  expect(file.match(/envbee:enc:v1:/g)).toHaveLength(2);
  expect((await withKey(["get", "DATABASE_URL", "PORT"])).stdout).toBe("hunter2\n8080\n");
  expect((await withKey(["export", "--format", "json"])).stdout).toContain('"PORT": 8080');
  expect((await withKey(["export", "--json"])).stdout).toContain('"PORT": 8080');
});

it.each([
  ["no key", {}, "set APPVARS_ENC_KEY"],
  ["another key", { APPVARS_ENC_KEY: "wrong" }, "the key is wrong"],
])(
  "encrypted values with %s are an error that names the variable, exit code 8",
  async (_what, keys, message) => {
    await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
    for (const argv of [["get", "DATABASE_URL"], ["export"]]) {
      const { code, stdout, stderr } = await runCli(argv, { env: { ...cli.env, ...keys } });
      expect([code, stdout]).toEqual([8, ""]);
      expect(stderr).toContain("DATABASE_URL");
      expect(stderr).toContain(message);
    }
  },
);

it("encrypted values are decrypted by list and show with the key, and shown as they are without a key", async () => {
  await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
  for (const argv of [
    ["list", "--values"],
    ["show", "DATABASE_URL", "--values"],
  ]) {
    expect((await withKey(argv)).stdout).toContain("\thunter2\n");
    expect((await cli.run(argv)).stdout).toContain("\tenvbee:enc:v1:");
    const wrong = await runCli(argv, { env: { ...cli.env, APPVARS_ENC_KEY: "wrong" } });
    expect([wrong.code, wrong.stdout]).toEqual([8, ""]);
  }
  expect((await withKey(["show", "DATABASE_URL"])).stdout).not.toContain("hunter2");
});

it("encrypted values are refused with a key that is not UTF-8", async () => {
  const keyFile = join(await temporaryFolder(), "key");
  await writeFile(keyFile, Buffer.from("\xe9\xff\xfekey", "latin1"));
  const argv = ["set", "DATABASE_URL", "hunter2", "--encrypt", "--enc-key-file"];
  for (const [file, stdin] of [
    [keyFile, ""],
    ["-", await readFile(keyFile)],
  ] as const) {
    const message = `appvars: --enc-key-file: its content is not valid UTF-8\n`;
    expect(await cli.run([...argv, file], stdin)).toEqual({ code: 2, stdout: "", stderr: message });
  }
  const lossy = { ...cli.env, APPVARS_ENC_KEY: "\ufffd\ufffdkey" };
  expect(
    await runCli(["set", "DATABASE_URL", "hunter2", "--encrypt"], { env: lossy }),
  ).toMatchObject({
    code: 2,
    stderr: "appvars: APPVARS_ENC_KEY is not valid UTF-8, or contains U+FFFD\n",
  });
  expect(await cli.get("DATABASE_URL")).toBe("postgres://localhost/dev\n");
});

it("encrypted values can have their key in a file or on stdin", async () => {
  const keyFile = (await dataFile("the key\n")).path;
  await cli.run(["set", "DATABASE_URL", "hunter2", "--encrypt", "--enc-key-file", keyFile]);
  expect((await cli.run(["get", "DATABASE_URL", "--enc-key-file", "-"], "the key\n")).stdout).toBe(
    "hunter2\n",
  );
});

it("encrypted values are not replaced by plain values, by set or by import", async () => {
  await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
  expect(await withKey(["set", "DATABASE_URL", "plain"])).toMatchObject({ code: 2 });
  expect(await cli.run(["import", "-"], "DATABASE_URL=plain\n")).toMatchObject({ code: 2 });
  expect((await withKey(["get", "DATABASE_URL"])).stdout).toBe("hunter2\n");
});

it("can't have value and key on one stdin", async () => {
  const argv = ["set", "DATABASE_URL", "--encrypt", "--enc-key-file", "-"];
  expect(await cli.run(argv, "the key\n")).toMatchObject({ code: 2 });
  expect(await cli.get("DATABASE_URL")).toBe("postgres://localhost/dev\n");
});

it("encrypted values must have the variable's type", async () => {
  expect(await withKey(["set", "PORT", "hunter2", "--encrypt"])).toMatchObject({ code: 2 });
});

it("set --schema lists the values that break it, by names and environments preset, and keeps them", async () => {
  const argv = ["set", "PORT", "--schema", '{"minimum":4000}'];
  const listed = "appvars: these values break the schema: PORT in shop/development must be >= 4000";
  for (const dryRun of [true, false]) {
    const { code, stderr } = await cli.run([...argv, ...(dryRun ? ["--dry-run"] : [])]);
    expect([code, stderr.startsWith(listed), stderr.includes("3000")]).toEqual([0, true, false]);
  }
  expect(await cli.get("PORT")).toBe("3000\n");
  const { stdout } = await cli.run(["show", "PORT", "--json"]);
  expect(JSON.parse(stdout).variable.schema).toEqual({ minimum: 4_000 });
  // The same again is no change.
  expect(await cli.run(argv)).toEqual({ code: 0, stdout: "", stderr: "" });
});

it.each([
  ['{"$async":true,"type":"string"}', '--schema has the keyword "$async", which is not supported'],
  [
    '{"maximum":1e999}',
    "--schema <json>' argument '{\"maximum\":1e999}' is invalid. It must be JSON: line 1, column 12",
  ],
  ['{"maximum":12345678901234567890}', "a number that can't be held exactly"],
  ['{"required":"x"}', "--schema is not valid: schema is invalid: data/required must be array"],
])("set refuses the schema %s", async (schema, message) => {
  const { code, stderr } = await cli.run(["set", "PORT", "--schema", schema]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it("set makes all environments keep the schema that comes with the value", async () => {
  const { code, stderr } = await cli.run([
    "set",
    "PORT",
    "80",
    "--all-envs",
    "--schema",
    '{"minimum":1024}',
  ]);
  expect([code, stderr]).toEqual([2, "appvars: refused by the schema: PORT must be >= 1024\n"]);
});

it("env add --from refuses values that break their schemas", async () => {
  await cli.run(["set", "PORT", "--schema", '{"minimum":4000}']);
  const before = await readFile(cli.path);
  const { code, stderr } = await cli.run([
    "env",
    "add",
    "shop/staging",
    "--from",
    "shop/development",
  ]);
  expect([code, stderr]).toEqual([2, "appvars: refused by the schema: PORT must be >= 4000\n"]);
  expect(await readFile(cli.path)).toEqual(before);
});

it("a data file with a schema that has an unknown keyword is refused, with the variable", async () => {
  const schema = { anyOf: [{ items: { $ref: "#" } }] };
  const { path } = await dataFile(edited(({ variables }) => (variables[0].schema = schema)));
  const { code, stderr } = await cli.run(["check", "--data", path]);
  const location = `appvars: ${path} variables[0] (id 2): schema has the keyword "$ref", which is not supported\n`;
  expect([code, stderr]).toEqual([8, location]);
});
