import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encrypt } from "../../../../src/client/envelope.js";
import { runCli } from "../../../support/cli.js";
import { DATA, DEVELOPMENT, edited } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { serverEnvironment } from "../../../support/running-server.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

const VALUE = "postgres://localhost/dev";

async function shell(
  data: unknown,
  name: string,
  env: Record<string, string>,
): Promise<string | undefined> {
  const { path } = await dataFile(data);
  const { code, stdout, stderr } = await runCli(
    ["show", name, "--data", path, "--env", "shop/development"],
    { env },
  );
  expect([code, stderr]).toEqual([0, ""]);
  return /^shell\t(.*)$/m.exec(stdout)?.[1];
}

describe("show, with a server", () => {
  it("show prints the record, the server and key it comes from, and the effect of run", async () => {
    const env = await serverEnvironment();
    const argv = ["show", "DATABASE_URL", "--api-key", "dev-key"];
    const { code, stdout, stderr } = await runCli(argv, {
      env: { ...env, DATABASE_URL: "another" },
    });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "name\tDATABASE_URL",
      "type\tSTRING",
      "description\tPrimary database",
      "variable id\t1",
      "value id\t11",
      "value\t(hidden: --values shows it)",
      `url\t${env["APPVARS_URL"]} (APPVARS_URL)`,
      "api key\tdev-key (--api-key; overrides APPVARS_API_KEY)",
      "shell\tset to another value; run replaces it, unless --preserve-env",
      "",
    ]);
  });

  it("show --json prints the same, and the value with --values", async () => {
    const env = await serverEnvironment();
    const run = async (...flags: string[]) => {
      const { stdout } = await runCli(["show", "DATABASE_URL", "--json", ...flags], { env });
      expect(stdout).not.toContain(DEVELOPMENT.apiSecret);
      return JSON.parse(stdout);
    };
    const shown = await run();
    expect(shown).toEqual({
      variable: { id: 1, type: "STRING", name: "DATABASE_URL", description: "Primary database" },
      value: { id: 11, variable_id: 1, encrypted: false },
      source: [
        { setting: "url", value: env["APPVARS_URL"], from: "APPVARS_URL", overrides: [] },
        { setting: "api_key", value: "dev-key", from: "APPVARS_API_KEY", overrides: [] },
      ],
      shell: "not set; run sets it",
    });
    expect(await run("--values")).toEqual({
      ...shown,
      value: { ...shown.value, content: { value: VALUE } },
    });
  });

  it("show names the profile that selects the server", async () => {
    const { APPVARS_URL: url, APPVARS_API_SECRET: api_secret } = await serverEnvironment();
    const config = await temporaryFolder();
    const profiles = { version: 1, profiles: { dev: { url, api_secret } } };
    await writeFile(join(config, "profiles.json"), JSON.stringify(profiles));
    const { stdout } = await runCli(["show", "PORT", "--profile", "dev"], { config });
    expect(stdout).toContain(`url\t${url} (url of profile dev)\n`);
  });
});

describe("show, with a data file", () => {
  it("show prints the data file and its environment, and the settings that they override", async () => {
    const { path } = await dataFile(DATA);
    const cwd = join(path, "..", "project");
    await mkdir(cwd);
    await writeFile(
      join(cwd, ".appvars.json"),
      JSON.stringify({ url: "http://a", env: "production" }),
    );
    const { stdout } = await runCli(
      ["show", "DATABASE_URL", "--data", path, "--env", "test", "--values"],
      { cwd },
    );
    expect(stdout).toContain("value\tpostgres://localhost/test\n");
    expect(stdout).toContain(
      `data\t${path} (--data; overrides url in ${join(cwd, ".appvars.json")} (not allowed))\n`,
    );
    expect(stdout).toContain(
      `env\ttest (--env; overrides env in ${join(cwd, ".appvars.json")} (not allowed))\nshell`,
    );
  });

  it("show names a variable that a flag overrides, in JSON too", async () => {
    const { path } = await dataFile(DATA);
    const argv = ["show", "PORT", "--data", path, "-e", "test"];
    const env = { APPVARS_ENV: "production" };
    expect((await runCli(argv, { env })).stdout).toContain(
      "env\ttest (--env; overrides APPVARS_ENV)\n",
    );
    const { source } = JSON.parse((await runCli([...argv, "--json"], { env })).stdout);
    expect(source[1]).toEqual({
      setting: "env",
      value: "test",
      from: "--env",
      overrides: ["APPVARS_ENV"],
    });
  });

  it.each([
    ["PORT", {}, "not set; run sets it"],
    ["PORT", { PORT: "3000" }, "set to the same value; run leaves that"],
    ["EMPTY", { EMPTY: "x" }, "set to another value; run replaces it, unless --preserve-env"],
    ["UNSET", {}, "not set; run does not touch it"],
    ["UNSET", { UNSET: "x" }, "set; run does not touch it"],
    ["__proto__", {}, "not set; run sets it"],
  ])(
    "show describes the effect of run on %s in %o",
    async (name, env: Record<string, string>, expected) => {
      expect(await shell(DATA, name, env)).toBe(expected);
    },
  );

  it("show says that run leaves out a reserved name", async () => {
    const data = edited((each) => {
      each.variables[0].name = "PATH";
    });
    const expected = "set to another value; run leaves it out, unless --allow-reserved names it";
    expect(await shell(data, "PATH", { PATH: "/b" })).toBe(expected);
  });
});

describe("show, of an encrypted value", () => {
  const sealed = edited((data) => {
    data.values[1].content.value = encrypt(VALUE, "hunter2-key");
  });

  it("show compares and shows a decrypted value", async () => {
    const { path } = await dataFile(sealed);
    const argv = ["show", "DATABASE_URL", "--values", "--data", path, "--env", "shop/development"];
    const { stdout } = await runCli(argv, {
      env: { DATABASE_URL: VALUE, APPVARS_ENC_KEY: "hunter2-key" },
    });
    expect(stdout).toContain(`value\t${VALUE}\n`);
    expect(stdout).toContain("shell\tset to the same value; run leaves that\n");
  });

  it.each([
    ["no key", {}],
    ["another key", { APPVARS_ENC_KEY: "hunter2-other" }],
  ])("show says with %s that run fails", async (_what, env: Record<string, string>) => {
    const expected = "set; run fails: it has no key that decrypts the value";
    expect(await shell(sealed, "DATABASE_URL", { DATABASE_URL: VALUE, ...env })).toBe(expected);
  });
});
