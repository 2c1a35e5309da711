import { execFileSync } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

let path: string;
let env: Record<string, string>;
beforeEach(async () => {
  path = (await dataFile(DATA)).path;
  env = { APPVARS_DATA: path, APPVARS_ENV: "shop/development" };
});
const run = (argv: string[], stdin?: string) => runCli(argv, { env, ...(stdin !== undefined && { stdin }) });
const get = async (name: string) => (await run(["get", name])).stdout;

describe("set", () => {
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
  ])("takes %s", async (_what, argv, stdin, stdout) => {
    expect(await run(["set", ...argv], stdin)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await get(argv[0] ?? "")).toBe(stdout);
  });

  it("keeps the type of a variable and takes a description", async () => {
    await run(["set", "PORT", "1", "--description", "New words"]);
    const { stdout } = await run(["show", "PORT", "--json"]);
    expect(JSON.parse(stdout).variable).toMatchObject({ type: "NUMBER", description: "New words" });
  });

  it.each([
    ["a text for a number", ["PORT", "hunter2"], 2],
    ["a bad name", ["a b", "hunter2"], 2],
    ["an environment that is not there", ["PORT", "1", "--env", "staging"], 3],
    ["a file that is not there", ["PORT", "1", "--data", "/nowhere/x.json"], 8],
    ["--encrypt without a key", ["DATABASE_URL", "hunter2", "--encrypt"], 2],
  ])("refuses %s and changes nothing", async (_what, argv, code) => {
    const before = await readFile(path);
    const result = await run(["set", ...argv]);
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).not.toContain("hunter2");
    expect(await readFile(path)).toEqual(before);
  });

  it("tells a person on a terminal that it was done", async () => {
    expect((await runCli(["set", "PORT", "1", "--no-color"], { env, terminal: true })).stderr).toBe(
      "appvars: set PORT\n",
    );
  });
});

describe("unset", () => {
  it("removes values", async () => {
    expect(await run(["unset", "PORT", "FLAGS"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await run(["get", "PORT"])).toMatchObject({ code: 3 });
  });

  it("removes none when one is missing", async () => {
    expect(await run(["unset", "PORT", "NOPE"])).toMatchObject({ code: 3, stdout: "" });
    expect(await get("PORT")).toBe("3000\n");
  });
});

describe("encrypted values", () => {
  const withKey = (argv: string[]) => runCli(argv, { env: { ...env, APPVARS_ENC_KEY: "the key" } });

  it("are stored sealed and read with the key", async () => {
    await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
    await withKey(["set", "PORT", "8080", "--encrypt"]);
    const file = await readFile(path, "utf8");
    expect(file).not.toContain("hunter2");
    expect(file.match(/envbee:enc:v1:/g)).toHaveLength(2);
    expect((await withKey(["get", "DATABASE_URL", "PORT"])).stdout).toBe("hunter2\n8080\n");
    expect((await withKey(["export", "--format", "json"])).stdout).toContain('"PORT": 8080');
    expect((await withKey(["export", "--json"])).stdout).toContain('"PORT": 8080');
  });

  it.each([
    ["no key", {}, "set APPVARS_ENC_KEY"],
    ["another key", { APPVARS_ENC_KEY: "wrong" }, "the key is another one"],
  ])("with %s are an error that names the variable, exit code 8", async (_what, keys, message) => {
    await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
    for (const argv of [["get", "DATABASE_URL"], ["export"]]) {
      const { code, stdout, stderr } = await runCli(argv, { env: { ...env, ...keys } });
      expect([code, stdout]).toEqual([8, ""]);
      expect(stderr).toContain("DATABASE_URL");
      expect(stderr).toContain(message);
    }
  });

  it("are opened in list and show by the key, and left as they are without one", async () => {
    await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
    for (const argv of [
      ["list", "--values"],
      ["show", "DATABASE_URL", "--values"],
    ]) {
      expect((await withKey(argv)).stdout).toContain("\thunter2\n");
      expect((await run(argv)).stdout).toContain("\tenvbee:enc:v1:");
      const wrong = await runCli(argv, { env: { ...env, APPVARS_ENC_KEY: "wrong" } });
      expect([wrong.code, wrong.stdout]).toEqual([8, ""]);
    }
    expect((await withKey(["show", "DATABASE_URL"])).stdout).not.toContain("hunter2");
  });

  it("take the key from a file or stdin", async () => {
    const keyFile = (await dataFile("the key\n")).path;
    await run(["set", "DATABASE_URL", "hunter2", "--encrypt", "--enc-key-file", keyFile]);
    expect((await run(["get", "DATABASE_URL", "--enc-key-file", "-"], "the key\n")).stdout).toBe("hunter2\n");
  });

  it("are not replaced by plain ones, be it by set or by import", async () => {
    await withKey(["set", "DATABASE_URL", "hunter2", "--encrypt"]);
    expect(await withKey(["set", "DATABASE_URL", "plain"])).toMatchObject({ code: 2 });
    expect(await run(["import", "-"], "DATABASE_URL=plain\n")).toMatchObject({ code: 2 });
    expect((await withKey(["get", "DATABASE_URL"])).stdout).toBe("hunter2\n");
  });

  it("can't take value and key from one stdin", async () => {
    const argv = ["set", "DATABASE_URL", "--encrypt", "--enc-key-file", "-"];
    expect(await run(argv, "the key\n")).toMatchObject({ code: 2 });
    expect(await get("DATABASE_URL")).toBe("postgres://localhost/dev\n");
  });

  it("refuse what is not of the variable's type before sealing it", async () => {
    expect(await withKey(["set", "PORT", "hunter2", "--encrypt"])).toMatchObject({ code: 2 });
  });
});

describe("import", () => {
  const write = async (name: string, text: string) => {
    const file = join(await temporaryFolder(), name);
    await writeFile(file, text);
    return file;
  };

  it.each([
    ["vars.env", "PORT=4000\nNEW_TEXT=007\nNEW_FLAG=true\nNEW_LIST='[1, 2]'\n"],
    ["vars.json", '{"PORT":4000,"NEW_TEXT":"007","NEW_FLAG":true,"NEW_LIST":[1,2]}'],
    ["vars.yaml", 'PORT: 4000\nNEW_TEXT: "007"\nNEW_FLAG: true\nNEW_LIST: [1, 2]\n'],
  ])("takes %s, keeps what it does not name, and gives types by the rule", async (name, text) => {
    expect(await run(["import", await write(name, text)])).toEqual({ code: 0, stdout: "", stderr: "" });
    const { stdout } = await run(["list", "--json", "--values"]);
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

  it("prints what would change with --dry-run, values only with --values, and changes nothing", async () => {
    const before = await readFile(path);
    const file = await write("vars.env", "PORT=4000\nDEBUG=true\nNEW=x\n");
    expect((await run(["import", file, "--dry-run"])).stdout).toBe("added\tNEW\nchanged\tPORT\n");
    expect((await run(["import", file, "--dry-run", "--values"])).stdout).toBe(
      "added\tNEW\t\tx\nchanged\tPORT\t3000\t4000\n",
    );
    expect(await readFile(path)).toEqual(before);
  });

  it("takes all or nothing", async () => {
    const before = await readFile(path);
    const { code, stderr } = await run(["import", await write("vars.env", "NEW=x\nPORT=hunter2\n")]);
    expect(code).toBe(2);
    expect(stderr).toContain("PORT");
    expect(stderr).not.toContain("hunter2");
    expect(await readFile(path)).toEqual(before);
  });

  it("refuses what is not UTF-8 rather than change it", async () => {
    const file = join(await temporaryFolder(), "latin1.env");
    await writeFile(file, Buffer.from("NEW=caf\xe9\n", "latin1"));
    expect(await run(["import", file])).toMatchObject({ code: 2, stderr: `appvars: ${file}: not valid UTF-8\n` });
  });

  it("refuses lines that are no assignment, rather than pass over them", async () => {
    const text = "GOOD=1\nA B=2\n# a comment\n\nexport ALSO='two\nlines'\nstray\n";
    expect(await run(["import", "-"], text)).toMatchObject({
      code: 2,
      stderr: "appvars: stdin: neither an assignment nor a comment: lines 2, 7\n",
    });
    expect(await run(["import", "-"], text.replace("A B=2\n", "").replace("stray\n", ""))).toMatchObject({ code: 0 });
    expect(await get("ALSO")).toBe("two\nlines\n");
  });

  it("refuses with --dry-run what it would refuse without", async () => {
    expect(await run(["import", "-", "--dry-run"], "PORT=hunter2\n")).toMatchObject({ code: 2, stdout: "" });
    expect(await run(["import", "-", "--dry-run", "--format", "json"], '{"a b":1}')).toMatchObject({ code: 2 });
  });

  it("says so when there is nothing to import", async () => {
    const { code, stderr } = await run(["import", "-"], "# only a comment\n");
    expect([code, stderr]).toEqual([0, "appvars: stdin holds no variables\n"]);
  });

  it("writes nothing when nothing differs", async () => {
    const before = await readFile(path);
    await run(["import", await write("vars.json", '{"PORT":3000}')]);
    expect(await readFile(path)).toEqual(before);
  });

  it("reads stdin in the format that it is told", async () => {
    await run(["import", "-", "--format", "json"], '{"PORT":1}');
    expect(await get("PORT")).toBe("1\n");
  });

  it("takes back what export printed, whatever the format", async () => {
    // The one name that the parser of dotenv files drops.
    await run(["unset", "__proto__"]);
    for (const format of ["dotenv", "json", "yaml"]) {
      const exported = (await run(["export", "--format", format])).stdout;
      expect(exported).toContain("postgres://localhost/dev");
      const fresh = await dataFile({ ...DATA, values: [] });
      const target = { ...env, APPVARS_DATA: fresh.path };
      expect(await runCli(["import", "-", "--format", format], { env: target, stdin: exported })).toMatchObject({
        code: 0,
      });
      expect((await runCli(["export", "--format", format], { env: target })).stdout).toBe(exported);
    }
  });

  it("shows on a terminal what it is at, and that it is done", async () => {
    const file = await write("vars.env", "NEW=x\n");
    const { stderr } = await runCli(["import", file, "--no-color"], { env, terminal: true });
    expect(stderr).toContain("writing 1 changes …\r\u001b[Kappvars: imported: 1 added, 0 changed, 0 unchanged\n");
  });
});

describe("diff", () => {
  it("compares two environments of the file, values hidden unless asked for", async () => {
    const argv = ["diff", "shop/development", "test"];
    expect((await run(argv)).stdout.split("\n")).toContain("changed\tDATABASE_URL");
    expect((await run(argv)).stdout).not.toContain("postgres");
    expect((await run([...argv, "--values"])).stdout.split("\n")).toContain(
      "changed\tDATABASE_URL\tpostgres://localhost/dev\tpostgres://localhost/test",
    );
  });

  it("knows environments whose name holds a colon", async () => {
    await run(["env", "add", "shop/a:b"]);
    expect((await run(["diff", "shop/a:b", "test"])).stdout).toBe("added\tDATABASE_URL\n");
  });

  it("compares a file with a server", async () => {
    const { url } = await runningServer();
    const credentials = { APPVARS_API_KEY: "dev-key", APPVARS_API_SECRET: "dev-secret" };
    await run(["set", "PORT", "1"]);
    const argv = ["diff", url, `${path}:shop/development`, "--json", "--values"];
    const { stdout } = await runCli(argv, { env: credentials });
    expect(JSON.parse(stdout)).toEqual([
      { kind: "changed", name: "PORT", type_before: "NUMBER", type_after: "NUMBER", before: 3000, after: 1 },
    ]);
  });

  it("tells of a difference by exit code 1 with --exit-code only", async () => {
    expect((await run(["diff", "shop/development", "test"])).code).toBe(0);
    expect((await run(["diff", "shop/development", "test", "--exit-code"])).code).toBe(1);
    expect(await run(["diff", "test", "test", "--exit-code"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("marks lines by sign and colour on a terminal", async () => {
    const { stdout } = await runCli(["diff", "test", "shop/development"], { env, terminal: true });
    expect(stdout).toContain("\u001b[32m+ PORT\u001b[39m\n");
    expect(stdout).toContain("\u001b[33m~ DATABASE_URL\u001b[39m\n");
  });
});

describe("export", () => {
  it("writes a file for its owner alone, in the place of one that is there", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "out.env");
    await writeFile(file, "old", { mode: 0o644 });
    expect(await run(["export", "--format", "json", "--output", file])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await readFile(file, "utf8")).toBe((await run(["export", "--format", "json"])).stdout);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["out.env"]);
  });

  it("takes - for stdout", async () => {
    const { stdout } = await run(["export", "--format", "json", "--output", "-"]);
    expect(JSON.parse(stdout)).toMatchObject({ PORT: 3000 });
  });

  it("exits with 8 when the file can't be written", async () => {
    expect(await run(["export", "--format", "json", "--output", "/nowhere/out.env"])).toMatchObject({
      code: 8,
      stdout: "",
    });
  });

  it("refuses to take the place of what is no file, and of the data file itself", async () => {
    const folder = await temporaryFolder();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const output of [folder, pipe]) {
      const { code, stderr } = await run(["export", "--format", "json", "--output", output]);
      expect([code, stderr]).toEqual([8, `appvars: ${output} can't be written: it is no regular file\n`]);
    }
    expect((await stat(pipe)).isFIFO()).toBe(true);
    const before = await readFile(path);
    expect(await run(["export", "--format", "json", "--output", path])).toMatchObject({ code: 2 });
    expect(await readFile(path)).toEqual(before);
  });

  it("can write one file from several processes at once, each version whole", async () => {
    const file = join(await temporaryFolder(), "out.json");
    const runs = Array.from({ length: 8 }, () => run(["export", "--format", "json", "--output", file]));
    expect((await Promise.all(runs)).map(({ code }) => code)).toEqual(Array(8).fill(0));
    expect(await readFile(file, "utf8")).toBe((await run(["export", "--format", "json"])).stdout);
  });

  it("prints nothing when the format can't hold a name or value, and names each", async () => {
    await run(["set", "a.b", "x"]);
    const { code, stdout, stderr } = await run(["export", "--format", "shell"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("a.b");
  });
});

describe("env", () => {
  const readExports = (text: string) =>
    Object.fromEntries([...text.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));

  it("lists environments and keys, without secrets", async () => {
    const { stdout } = await run(["env", "list"]);
    expect(stdout.split("\n")[0]).toBe("shop/development\tdev-key\t");
    expect(stdout).not.toContain("dev-secret");
    expect((await run(["env", "list", "--json"])).stdout).not.toContain("dev-secret");
  });

  it("adds one and prints its credentials, once", async () => {
    const { code, stdout, stderr } = await run(["env", "add", "shop/staging"]);
    const { environments } = JSON.parse(await readFile(path, "utf8"));
    const { api_key, api_secret } = environments.at(-1);
    expect([code, stderr]).toEqual([0, ""]);
    expect(readExports(stdout)).toEqual({ APPVARS_API_KEY: api_key, APPVARS_API_SECRET: api_secret });
    expect(await run(["env", "add", "shop/staging"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("rotates one and keeps the old pair for the grace period", async () => {
    const { stdout } = await run(["env", "rotate", "shop/development", "--grace", "24h"]);
    const [environment] = JSON.parse(await readFile(path, "utf8")).environments;
    expect(readExports(stdout).APPVARS_API_KEY).toBe(environment.api_key);
    expect(environment.previous).toMatchObject([{ api_key: "dev-key", api_secret: "dev-secret" }]);
    expect((await run(["env", "list"])).stdout).toMatch(/^shop\/development\t\w{32}\tdev-key until 20/);
  });

  it.each(["soon", "0h", "1w", "-1h", "1.5h"])("refuses the grace period %s", async (grace) => {
    expect(await run(["env", "rotate", "test", `--grace=${grace}`])).toMatchObject({ code: 2, stdout: "" });
  });

  it.each(["", "a/b/c", "/a", "a/", "tab\there", "x".repeat(256)])("refuses to add one called %j", async (name) => {
    expect(await run(["env", "add", name])).toMatchObject({ code: 2, stdout: "" });
  });

  it("removes one only with --yes, and tells first what would go", async () => {
    const { code, stderr } = await run(["env", "remove", "production"]);
    expect([code, stderr]).toEqual([
      2,
      "appvars: this removes shop/production with its credentials and 1 values: add --yes to do it\n",
    ]);
    expect(await run(["env", "remove", "production", "--yes"])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await run(["env", "list"])).stdout).not.toContain("production");
  });

  it("exits with 2 and the help when not told what to do", async () => {
    expect(await run(["env"])).toMatchObject({ code: 2, stdout: "" });
    expect(await run(["env", "lst"])).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean list?") });
  });
});
