import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encrypt } from "../../../src/encryption/envelope.js";
import { runCli } from "../../support/cli.js";
import { DATA, DEVELOPMENT, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const VALUE = "postgres://localhost/dev";

async function remote(): Promise<Record<string, string>> {
  const { url } = await runningServer();
  return { APPVARS_URL: url, APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };
}

describe("explain, with a server", () => {
  it("explain prints the record, the settings and what run would do, without value and secret", async () => {
    const env = await remote();
    const argv = ["explain", "DATABASE_URL", "--api-key", "dev-key"];
    const { code, stdout, stderr } = await runCli(argv, { env: { ...env, DATABASE_URL: "another" } });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "name\tDATABASE_URL",
      "type\tSTRING",
      "description\tPrimary database",
      "variable id\t1",
      "value id\t11",
      "value\t(hidden: --values shows it)",
      "encrypted\tno",
      `url\t${env["APPVARS_URL"]} (APPVARS_URL)`,
      "api key\tdev-key (--api-key)",
      "api secret\t(hidden) (APPVARS_API_SECRET)",
      "shadowed\tAPPVARS_API_KEY",
      "shell\tset to another value; run replaces it, unless --preserve-env",
      "",
    ]);
  });

  it("explain --json prints the same, and the value with --values", async () => {
    const env = await remote();
    const run = async (...flags: string[]) => {
      const { stdout } = await runCli(["explain", "DATABASE_URL", "--json", ...flags], { env });
      expect(stdout).not.toContain(DEVELOPMENT.apiSecret);
      return JSON.parse(stdout);
    };
    const explained = await run();
    expect(explained).toEqual({
      variable: { id: 1, type: "STRING", name: "DATABASE_URL", description: "Primary database" },
      value: { id: 11, variable_id: 1, encrypted: false },
      settings: [
        { setting: "profile", value: null, from: null, shadows: [] },
        { setting: "url", value: env["APPVARS_URL"], from: "APPVARS_URL", shadows: [] },
        { setting: "api_key", value: "dev-key", from: "APPVARS_API_KEY", shadows: [] },
        { setting: "api_secret", value: null, hidden: true, from: "APPVARS_API_SECRET", shadows: [] },
      ],
      shell: { set: false, same: null, run: "sets" },
    });
    expect(await run("--values")).toEqual({ ...explained, value: { ...explained.value, content: { value: VALUE } } });
  });

  it("explain prints the profile that selects the server", async () => {
    const { APPVARS_URL: url, APPVARS_API_SECRET: api_secret } = await remote();
    const config = await temporaryFolder();
    const profiles = { version: 1, profiles: { dev: { url, api_secret } } };
    await writeFile(join(config, "profiles.json"), JSON.stringify(profiles));
    const { stdout } = await runCli(["explain", "PORT", "--profile", "dev"], { config });
    expect(stdout).toContain(`profile\tdev (--profile)\nurl\t${url} (url of profile dev)\n`);
    expect(stdout).toContain("api secret\t(hidden) (api_secret of profile dev)\n");
  });

  it("explain suggests a similar name for a missing variable, and exits with 3", async () => {
    expect(await runCli(["explain", "prot"], { env: await remote() })).toEqual({
      code: 3,
      stdout: "",
      stderr: 'appvars: there is no variable "prot" (did you mean PORT?)\n',
    });
  });
});

describe("explain, with a data file", () => {
  it("explain prints the data file and its environment, and what they shadow", async () => {
    const { path } = await dataFile(DATA);
    const cwd = join(path, "..", "project");
    await mkdir(cwd);
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify({ url: "http://a", env: "production" }));
    const { stdout } = await runCli(["explain", "DATABASE_URL", "--data", path, "--env", "test", "--values"], { cwd });
    expect(stdout).toContain("value\tpostgres://localhost/test\n");
    expect(stdout).toContain(`data\t${path} (--data)\nenv\ttest (--env)\n`);
    const project = join(cwd, ".appvars.json");
    expect(stdout).toContain(`shadowed\turl in ${project} (not allowed), env in ${project} (not allowed)\n`);
  });

  it("explain reports a variable without a value in the environment", async () => {
    const { path } = await dataFile(DATA);
    const argv = ["explain", "UNSET", "--data", path, "--env", "shop/development"];
    const { code, stdout } = await runCli(argv, { env: { UNSET: "x" } });
    expect(code).toBe(0);
    expect(stdout).toContain("value id\t(no value in this environment)\n");
    expect(stdout).toContain("shell\tset; run does not touch it\n");
    expect(JSON.parse((await runCli([...argv, "--json"])).stdout).value).toBeNull();
  });
});

describe("explain --env-file", () => {
  const explain = async (name: string, text: string, ...flags: string[]) => {
    const { path } = await dataFile(DATA);
    const file = join(path, "..", "my.env");
    await writeFile(file, text);
    const argv = ["explain", name, "--data", path, "--env", "shop/development", "--env-file", file, ...flags];
    const { stdout, ...rest } = await runCli(argv, { env: { PORT: "3000" } });
    return { ...rest, stdout: stdout.replaceAll(file, "FILE") };
  };

  it("explain says that the value in --env-file takes precedence, and compares it to the shell's", async () => {
    const { stdout, stderr } = await explain("PORT", "PORT=4000\n");
    expect(stderr).toBe("");
    expect(stdout).toContain("value\t(hidden: --values shows it)\n");
    expect(stdout).toContain("env file\tFILE (takes precedence)\nfile value\t(hidden: --values shows it)\n");
    expect(stdout).toContain("shell\tset to another value; run replaces it, unless --preserve-env\n");
    expect((await explain("PORT", "PORT=4000\n", "--values")).stdout).toContain("file value\t4000\n");
  });

  it("explain reports a variable that only --env-file has, or that it does not have", async () => {
    const { code, stdout } = await explain("MINE", "MINE=my-own\n");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^name\tMINE\nvariable id\t\(no variable has this name\)\n/);
    expect(stdout).toContain("env file\tFILE (takes precedence)\n");
    expect((await explain("PORT", "MINE=1\n")).stdout).toContain("env file\t(no value there)\n");
    expect((await explain("PROT", "MINE=1\n")).code).toBe(3);
  });

  it("explain --json prints the file, and its value with --values", async () => {
    const json = async (...flags: string[]) =>
      JSON.parse((await explain("MINE", "MINE=1\n", "--json", ...flags)).stdout);
    expect(await json()).toMatchObject({ variable: null, value: null, env_file: { file: "FILE" } });
    expect(await json("--values")).toMatchObject({ env_file: { file: "FILE", content: { value: "1" } } });
    expect(JSON.parse((await explain("PORT", "", "--json")).stdout).env_file).toBeNull();
  });
});

describe("explain, of an encrypted value", () => {
  const explain = async (env: Record<string, string>) => {
    const sealed = edited((data) => {
      data.values[1].content.value = encrypt(VALUE, "hunter2-key");
    });
    const { path } = await dataFile(sealed);
    const argv = ["explain", "DATABASE_URL", "--values", "--data", path, "--env", "shop/development"];
    const { code, stdout, stderr } = await runCli(argv, { env: { DATABASE_URL: VALUE, ...env } });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toMatch(/hunter2|envbee:enc/);
    expect(stdout).toContain("encrypted\tyes\n");
    return stdout;
  };

  it("explain compares and shows a decrypted value", async () => {
    const stdout = await explain({ APPVARS_ENC_KEY: "hunter2-key" });
    expect(stdout).toContain(`value\t${VALUE}\n`);
    expect(stdout).toContain("shell\tset to the same value; run leaves that\n");
  });

  it.each([
    ["no key", {}],
    ["another key", { APPVARS_ENC_KEY: "hunter2-other" }],
  ])("explain prints everything but the value with %s", async (_what, env: Record<string, string>) => {
    const stdout = await explain(env);
    expect(stdout).toContain("value\t(there is no key that decrypts it)\n");
    expect(stdout).toContain("shell\tset; run fails: it has no key that decrypts the value\n");
  });
});
