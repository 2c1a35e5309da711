import { realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { runningServer, serverEnvironment } from "../../../support/running-server.js";
import { stubbedServer } from "../../../support/stubbed-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

/** How a command is pointed at the same environment, once through a server and once at the file. */
const SOURCES = {
  "a server": serverEnvironment,
  "a data file": async () => ({
    APPVARS_DATA: (await dataFile(DATA)).path,
    APPVARS_ENV: "shop/development",
  }),
};

describe.each(Object.entries(SOURCES))("reading from %s", (_name, open) => {
  let env: Record<string, string>;
  beforeEach(async () => {
    env = await open();
  });
  const run = (...argv: string[]) => runCli(argv, { env });
  const onTerminal = (...argv: string[]) => runCli(argv, { env, terminal: true });

  describe("get", () => {
    it.each([
      ["a text as it is", ["DATABASE_URL"], "postgres://localhost/dev\n"],
      ["a number", ["PORT"], "3000\n"],
      ["JSON in its compact form", ["FLAGS"], '{"beta":["x",null,1.5]}\n'],
      ["an empty text as an empty line", ["EMPTY"], "\n"],
      [
        "several, in the order asked",
        ["PORT", "DATABASE_URL", "PORT"],
        "3000\npostgres://localhost/dev\n3000\n",
      ],
      ["a name that objects inherit", ["__proto__"], "not a prototype\n"],
      ["no last newline with -n", ["-n", "DEBUG", "PORT"], "true\n3000"],
      ["a NUL after each value with -0", ["-0", "EMPTY", "FLAGS"], '\0{"beta":["x",null,1.5]}\0'],
      [
        "an object of native values with --json",
        ["--json", "PORT", "EMPTY"],
        '{"PORT":3000,"EMPTY":""}\n',
      ],
    ])("prints %s", async (_what, argv, stdout) => {
      expect(await run("get", ...argv)).toEqual({ code: 0, stdout, stderr: "" });
    });

    it("prints nothing and exits with 3 if one of the names is missing", async () => {
      const { code, stdout, stderr } = await run("get", "PORT", "DATABASE_URI", "UNSET");
      expect([code, stdout]).toEqual([3, ""]);
      expect(stderr).toBe(
        'appvars: there is no variable "DATABASE_URI" (did you mean DATABASE_URL?); "UNSET" has no value in this environment\n',
      );
    });

    it.each(["toString", "a/b", "..", "", "with space"])(
      "treats %o as a missing name, not as a path",
      async (name) => {
        expect(await run("get", name)).toMatchObject({ code: 3, stdout: "" });
      },
    );

    it("prints an error as JSON with --json", async () => {
      const { code, stdout, stderr } = await run("get", "--json", "XYZZY");
      expect([code, stdout]).toEqual([3, ""]);
      expect(JSON.parse(stderr)).toEqual({
        error: { code: "not_found", message: 'there is no variable "XYZZY"' },
      });
    });
  });

  describe("list", () => {
    it("prints name, type and description separated by tabs when piped, values only when asked", async () => {
      const { stdout } = await run("list");
      expect(stdout.split("\n").slice(0, 2)).toEqual([
        "DATABASE_URL\tSTRING\tPrimary database",
        "PORT\tNUMBER\tWhere it listens",
      ]);
      expect(stdout).not.toContain("postgres");
    });

    it("adds the values with --values, empty where there is none", async () => {
      const { stdout } = await run("list", "--values", "--type", "string");
      expect(stdout.split("\n")).toEqual([
        "DATABASE_URL\tSTRING\tPrimary database\tpostgres://localhost/dev",
        "__proto__\tSTRING\tAn ordinary name\tnot a prototype",
        "EMPTY\tSTRING\tAn empty text\t",
        "UNSET\tSTRING\tHas a value in production only\t",
        "",
      ]);
    });

    it.each([
      ["--type", "boolean", ["DEBUG"]],
      ["--filter", "LISTENS", ["PORT"]],
      ["--filter", "_url", ["DATABASE_URL"]],
      ["--filter", "nothing like it", []],
    ])("%s %s prints only matching variables", async (flag, text, names) => {
      const { stdout } = await run("list", "--json", flag, text);
      expect(JSON.parse(stdout).map((variable: { name: string }) => variable.name)).toEqual(names);
    });

    it("prints whole records with --json, with a value only if there is one", async () => {
      const { stdout } = await run("list", "--json", "--values", "--filter", "value");
      expect(JSON.parse(stdout)).toEqual([
        { id: 7, type: "STRING", name: "UNSET", description: "Has a value in production only" },
      ]);
    });

    it("prints aligned columns under headings on a terminal", async () => {
      const { stdout } = await onTerminal("list", "--values", "--type", "number", "--no-color");
      expect(stdout).toBe(
        "NAME  TYPE    DESCRIPTION       VALUE\nPORT  NUMBER  Where it listens  3000\n",
      );
    });

    it("says on a terminal that nothing matches, and prints nothing when piped", async () => {
      expect(await onTerminal("list", "--filter", "nothing", "--no-color")).toMatchObject({
        stdout: "",
        stderr: "appvars: no variables match\n",
      });
      expect(await run("list", "--filter", "nothing")).toEqual({ code: 0, stdout: "", stderr: "" });
    });
  });

  describe("show", () => {
    it("prints a definition that has no value in this environment", async () => {
      expect(JSON.parse((await run("show", "UNSET", "--json")).stdout)).toMatchObject({
        variable: { id: 7 },
        value: null,
      });
    });

    it("suggests the likely name for a missing one", async () => {
      expect(await run("show", "prot")).toEqual({
        code: 3,
        stdout: "",
        stderr: 'appvars: there is no variable "prot" (did you mean PORT?)\n',
      });
    });
  });

  it("health prints that all is well", async () => {
    const { APPVARS_DATA: data } = env;
    const source = data ? ["--data", data] : [];
    expect((await run("health", ...source)).stdout).toMatch(
      /^OK\tup [\d.]+ s\t\d{4}-\d\d-\d\dT[\d:.]+Z\n$/,
    );
    expect(JSON.parse((await run("health", ...source, "--json")).stdout)).toEqual({
      uptime: expect.any(Number),
      message: "OK",
      date: expect.any(String),
    });
  });
});

it.each<Record<string, string>>([
  { APPVARS_DATA: "missing.json" },
  { APPVARS_STORE: "etcd://127.0.0.1:1" },
])("health asks the server although other commands use local data: %o", async (local) => {
  const { url } = await runningServer();
  expect(await runCli(["health", "--url", url], { env: local })).toMatchObject({
    code: 0,
    stderr: "",
  });
  const cwd = await realpath(await temporaryFolder());
  await writeFile(join(cwd, ".appvars.json"), JSON.stringify({ url }));
  const env = { ...local, APPVARS_ALLOW_PROJECT: "1" };
  expect(await runCli(["health"], { env, cwd })).toMatchObject({ code: 0, stderr: "" });
});

it("health prints the age of the data of a server with a data store", async () => {
  const { url } = await stubbedServer({ store: { age: 61_900 } });
  const run = (...argv: string[]) => runCli(["health", ...argv], { env: { APPVARS_URL: url } });
  expect((await run()).stdout).toMatch(/^OK\t[^\t]+\t[^\t]+Z\tdata 61 s old\n$/);
  expect(JSON.parse((await run("--json")).stdout)).toMatchObject({ message: "OK", data_age: 61 });
});
