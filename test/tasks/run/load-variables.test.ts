import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encrypt } from "../../../src/client/envelope.js";
import {
  AppvarsError,
  InvalidDataError,
  NotFoundError,
  UnauthorizedError,
  UnreachableError,
  UsageError,
} from "../../../src/kit/text/errors.js";
import type { LoadEnvOptions } from "../../../src/library/load-env.js";
import { DecryptionError } from "../../../src/model/errors.js";
import { loadVariables } from "../../../src/tasks/run/load-variables.js";
import { aCaller } from "../../support/caller.js";
import { runCli } from "../../support/cli.js";
import { CREDENTIALS, DATA, DEVELOPMENT, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { forwardingServer } from "../../support/forwarding-server.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const KEY = "a passphrase";

interface Surroundings {
  env?: Record<string, string>;
  cwd?: string;
  config?: string;
  cache?: string;
}

/** Calls the work of `loadEnv` with an environment of its own. */
async function load(options: LoadEnvOptions, surroundings: Surroundings = {}) {
  const { cwd = "/nowhere", config = "/dev/null/config", cache = "/dev/null/cache" } = surroundings;
  const env: Record<string, string> = { ...surroundings.env };
  const warnings: string[] = [];
  const caller = aCaller({ env, cwd: () => cwd, folders: { config, cache } });
  const onWarning = (text: string) => void warnings.push(text);
  const loading = loadVariables({ ...options, onWarning }, caller.surroundings);
  const [outcome] = await Promise.allSettled([loading]);
  return {
    values: outcome.status === "fulfilled" ? outcome.value : undefined,
    loading,
    env,
    warnings,
  };
}

/** The options for shop/development of a data file. */
async function local(content: unknown = DATA) {
  return { data: (await dataFile(content)).path, env: "shop/development" };
}

function changedPort(value: unknown): unknown {
  return edited(({ values }) => {
    values[0].content.value = value;
  });
}

describe("loadEnv", () => {
  it("returns the values with their types, and fills the environment with their texts", async () => {
    const { values, env, warnings } = await load(await local(), {
      env: { OTHER: "kept", PORT: "1" },
    });
    const { ["__proto__"]: own, ...others } = values ?? {};
    expect(own).toBe("not a prototype");
    expect(others).toEqual({
      DATABASE_URL: "postgres://localhost/dev",
      PORT: 3000,
      DEBUG: true,
      FLAGS: { beta: ["x", null, 1.5] },
      EMPTY: "",
    });
    expect(env).toEqual({
      OTHER: "kept",
      DATABASE_URL: "postgres://localhost/dev",
      PORT: "3000",
      DEBUG: "true",
      FLAGS: '{"beta":["x",null,1.5]}',
      EMPTY: "",
    });
    expect(warnings).toEqual([]);
  });

  it("leaves the environment as it is with apply: false", async () => {
    const { values, env } = await load(
      { ...(await local()), apply: false, only: ["PORT"] },
      { env: { PORT: "1" } },
    );
    expect(values).toEqual({ PORT: 3000 });
    expect(env).toEqual({ PORT: "1" });
  });

  it("selects and renames as run does", async () => {
    const options = {
      ...(await local()),
      only: ["D*", "PORT"],
      exclude: ["DEBUG"],
      prefix: "APP_",
    };
    expect((await load({ ...options, nameTransformer: "lower" })).env).toEqual({
      APP_database_url: "postgres://localhost/dev",
      APP_port: "3000",
    });
  });

  it("takes the settings from the environment, and options before them", async () => {
    const { url } = await runningServer();
    const env = { APPVARS_URL: url, ...CREDENTIALS };
    expect((await load({ only: ["PORT"] }, { env })).values).toEqual({ PORT: 3000 });
    expect(
      (await load({ ...(await local(changedPort(1))), only: ["PORT"] }, { env })).values,
    ).toEqual({ PORT: 1 });
    const options = { url, ...DEVELOPMENT, only: ["PORT"], timeout: 5, maxWait: 0 };
    expect((await load(options, { env: { APPVARS_API_SECRET: "another" } })).values).toEqual({
      PORT: 3000,
    });
  });

  it("takes them from a profile, and from .appvars.json once it is allowed", async () => {
    const [cwd, config] = [await temporaryFolder(), await temporaryFolder()];
    const { data } = await local();
    await writeFile(join(cwd, "my.env"), "PORT=4000\n");
    const project = {
      data,
      profile: "mine",
      only: "PORT, EMPTY",
      env_file: "my.env",
      strict: true,
    };
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify(project), { mode: 0o600 });
    const profiles = { version: 1, profiles: { mine: { env: "shop/development" } } };
    await writeFile(join(config, "profiles.json"), JSON.stringify(profiles), { mode: 0o600 });
    const refused = await load({}, { cwd, config });
    await expect(refused.loading).rejects.toThrow(/is not allowed yet/);
    await expect(refused.loading).rejects.toBeInstanceOf(UsageError);
    expect(refused.env).toEqual({});
    expect(await runCli(["allow"], { cwd, config })).toMatchObject({ code: 0 });
    expect(await load({}, { cwd, config })).toMatchObject({
      values: { PORT: 4000, EMPTY: "" },
      env: { PORT: "4000" },
    });
    const strict = await load({ only: ["EMPTY", "UNSET"] }, { cwd, config });
    await expect(strict.loading).rejects.toThrow("--strict: UNSET has no value");
    expect(
      (await load({ only: ["PORT"], strict: false, envFile: [] }, { cwd, config })).values,
    ).toEqual({
      PORT: 3000,
    });
  });

  it("leaves out an env_file of the project that is missing, and no other", async () => {
    const folder = await temporaryFolder();
    const [env_file, file] = ["own/my.env", join(folder, "own/my.env")];
    const project = { ...(await local()), only: " PORT\tEMPTY ", env_file };
    await writeFile(join(folder, ".appvars.json"), JSON.stringify(project), { mode: 0o600 });
    const loaded = () => load({}, { cwd: folder, env: { APPVARS_ALLOW_PROJECT: "1" } });
    const from = `env_file in ${join(folder, ".appvars.json")} ${file}`;
    expect((await loaded()).values).toEqual({ PORT: 3000, EMPTY: "" });
    await mkdir(join(folder, "own"));
    expect((await loaded()).values).toEqual({ PORT: 3000, EMPTY: "" });
    await writeFile(file, "PORT=4000\n", { mode: 0o602 });
    await chmod(file, 0o602);
    expect(await loaded()).toMatchObject({
      values: { PORT: 4000, EMPTY: "" },
      warnings: [expect.stringContaining(`${file} can be changed by other users`)],
    });
    await writeFile(file, "not an assignment\n");
    await expect((await loaded()).loading).rejects.toThrow(
      `${from}: neither an assignment nor a comment: line 1`,
    );
    await rm(file);
    await symlink("nothing", file);
    await expect((await loaded()).loading).rejects.toThrow(`${from} can't be read (ENOENT)`);
    await rm(file);
    await mkdir(file);
    await expect((await loaded()).loading).rejects.toThrow(`${from} can't be read: it is a folder`);
    const named = await load({ ...(await local()), envFile: ["/no/such/my.env"] });
    await expect(named.loading).rejects.toThrow(
      "--env-file /no/such/my.env can't be read (ENOENT)",
    );
  });

  it("gives texts of files and of the environment the types of their variables, and names those that have another", async () => {
    const file = join(await temporaryFolder(), "my.env");
    await writeFile(file, `PORT=4000\nDEBUG=false\nFLAGS='{"beta":[]}'\nUNSET=5\nOWN=6\n`, {
      mode: 0o600,
    });
    const options = { ...(await local()), exclude: ["__proto__", "EMPTY"] };
    const { values, env } = await load({ ...options, envFile: [file] });
    expect(values).toEqual({
      DATABASE_URL: "postgres://localhost/dev",
      PORT: 4000,
      DEBUG: false,
      FLAGS: { beta: [] },
      UNSET: "5",
      OWN: "6",
    });
    expect(env).toMatchObject({ PORT: "4000", OWN: "6" });
    const own = { env: { PORT: "5000", UNSET: "here", EMPTY: "not selected", HOME: "/" } };
    const preserving = await load({ ...options, preserveEnv: true, envFile: [file] }, own);
    expect(preserving.values).toEqual({ ...values, PORT: 5000, UNSET: "here" });
    expect(preserving.env).toMatchObject(own.env);
    const refused = await load({ ...options, preserveEnv: true }, { env: { PORT: "http" } });
    await expect(refused.loading).rejects.toThrow(/^PORT: a NUMBER must be/);
    expect(refused.env).toEqual({ PORT: "http" });
  });

  it("decrypts to the type of the variable, what it was asked for alone", async () => {
    const options = await local(
      edited(({ values }) => {
        values[0].content.value = encrypt("8080", KEY);
        values[1].content.value = encrypt("hunter2", "another key");
      }),
    );
    expect((await load({ ...options, only: ["PORT"], encryptionKey: KEY })).values).toEqual({
      PORT: 8080,
    });
    const byVariableId = await load(
      { ...options, only: ["PORT"] },
      { env: { APPVARS_ENC_KEY: KEY } },
    );
    expect(byVariableId.env["PORT"]).toBe("8080");
    await expect((await load({ ...options, only: ["DEBUG"] })).loading).resolves.toEqual({
      DEBUG: true,
    });
    const refused = await load(options);
    await expect(refused.loading).rejects.toBeInstanceOf(DecryptionError);
    expect(refused.env).toEqual({});
  });

  it("does not mind that another variable, which is not selected, would get the same new name", async () => {
    const options = await local(
      edited(({ variables, values }) => {
        variables[1].name = "port";
        values[0].content.value = encrypt("8080", KEY);
      }),
    );
    for (const only of [["PORT"], ["P*RT"]]) {
      const renamed = { ...options, only, nameTransformer: "lower", encryptionKey: KEY } as const;
      expect((await load(renamed)).values).toEqual({ port: 8080 });
      expect(
        (await load({ ...renamed, preserveEnv: true }, { env: { port: "1" } })).values,
      ).toEqual({ port: 1 });
    }
  });

  it("leaves out reserved names with a warning, and refuses them by name unless they are allowed", async () => {
    const options = await local(edited(({ variables }) => (variables[0].name = "NODE_OPTIONS")));
    const { values, env, warnings } = await load(options);
    expect([values, env].filter((each) => each && "NODE_OPTIONS" in each)).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/^left out NODE_OPTIONS: variables with these names/),
    ]);
    await expect(
      (await load({ ...options, only: ["NODE_OPTIONS"] })).loading,
    ).rejects.toBeInstanceOf(UsageError);
    const allowed = await load({
      ...options,
      only: ["NODE_OPTIONS"],
      allowReserved: ["NODE_OPTIONS"],
    });
    expect(allowed.env).toEqual({ NODE_OPTIONS: "3000" });
  });

  it("sets nothing if a value is missing, invalid, or can't be in an environment", async () => {
    const strict = await load({ ...(await local()), strict: true });
    await expect(strict.loading).rejects.toThrow(new NotFoundError("--strict: UNSET has no value"));
    const data = edited(({ variables, values }) => {
      variables[0].schema = { maximum: 10 };
      values[0].content.value = 3_000;
    });
    const invalid = await load({ ...(await local(data)), strict: true, only: ["PORT"] });
    await expect(invalid.loading).rejects.toBeInstanceOf(InvalidDataError);
    const nul = await load(await local(edited(({ values }) => (values[1].content.value = "a\0b"))));
    await expect(nul.loading).rejects.toThrow("the value of DATABASE_URL contains a NUL character");
    expect([strict.env, invalid.env, nul.env]).toEqual([{}, {}, {}]);
  });

  it("uses the cache while the server can't be reached, with a warning", async () => {
    const server = await runningServer();
    const cache = join(await temporaryFolder(), "cache");
    const options = { url: server.url, ...DEVELOPMENT, only: ["PORT"], maxWait: 0 };
    expect((await load({ ...options, cache: true }, { cache })).values).toEqual({ PORT: 3000 });
    await server.close();
    const { values, warnings } = await load({ ...options, cache: 60 }, { cache });
    expect(values).toEqual({ PORT: 3000 });
    expect(warnings).toEqual([expect.stringMatching(/^using values from \d+ s ago: can't reach/)]);
    expect((await load({ ...options, offline: true }, { cache })).values).toEqual({ PORT: 3000 });
    await expect((await load(options, { cache })).loading).rejects.toBeInstanceOf(UnreachableError);
  });

  it("takes one request, and one more for encrypted values", async () => {
    const plain = await forwardingServer();
    await load({ url: plain.url, ...DEVELOPMENT });
    expect(plain.targets).toEqual(["/v1/variables-values-by-name"]);
    const sealed = await forwardingServer({ data: changedPort(encrypt("8080", KEY)) as object });
    await load({ url: sealed.url, ...DEVELOPMENT, encryptionKey: KEY });
    expect(sealed.targets).toEqual([
      "/v1/variables-values-by-name",
      "/v1/variables?limit=1000&offset=0",
    ]);
  });

  it.each<[string, LoadEnvOptions, new (message: string) => Error]>([
    ["usage", { url: "" }, UsageError],
    ["usage", { url: "ftp://a" }, UsageError],
    ["unauthorized", { url: "http://127.0.0.1:1" }, UnauthorizedError],
    ["invalid_data", { data: "/nowhere/vars.json" }, InvalidDataError],
  ])("rejects with the code %s for %j", async (code, options, type) => {
    const { loading } = await load(options);
    await expect(loading).rejects.toBeInstanceOf(type);
    await expect(loading).rejects.toBeInstanceOf(AppvarsError);
    await expect(loading).rejects.toMatchObject({ code });
  });

  it("warns of a data file that others can change", async () => {
    const options = await local();
    await chmod(options.data, 0o666);
    expect((await load(options)).warnings).toEqual([
      expect.stringContaining("can be changed by other users"),
    ]);
  });
});
