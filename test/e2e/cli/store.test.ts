import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEtcdStore } from "../../../src/etcd/open-store.js";
import { findPlaces } from "../../../src/tui/adapters/find-places.js";
import { aCaller } from "../../support/caller.js";
import { type CliOptions, type CliResult, runCli, runWith } from "../../support/cli.js";
import { CREDENTIALS, DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { sharedEtcd, USER } from "../../support/etcd.js";
import { needs } from "../../support/needed-program.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { CLIENT, TLS, tlsPath } from "../../support/tls.js";

const DONE = { code: 0, stdout: "", stderr: "" };
const KEY = "f".repeat(64);

/** A file that only we can read. */
async function secretFile(name: string, text: string): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

/** Runs `serve`, calls `use` with its URL and its log, and stops it. */
async function serving(
  argv: string[],
  use: (server: { url: string; log: () => string; reload: () => void }) => Promise<void>,
  options: CliOptions = {},
): Promise<CliResult> {
  let [log, reload, stop] = ["", () => {}, () => {}];
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let used: Promise<void> | undefined;
  const result = await runCli(["serve", "--port", "0", ...argv], {
    ...options,
    untilStopped: (phase) => {
      reload = () => phase.reload();
      return stopped;
    },
    onStderr: (text) => {
      log += text;
    },
    onStdout: (text) => {
      const [, url = ""] = /^export APPVARS_URL=(.*)$/m.exec(text) ?? [];
      used ??= use({ url, log: () => log, reload: () => reload() }).finally(stop);
    },
  });
  await used;
  return result;
}

describe("--store", needs("etcd"), () => {
  const etcd = sharedEtcd();

  /**
   * The URL of a store with {@link DATA}, and the command line with settings that name
   * shop/development of it.
   */
  async function filledStore(options: CliOptions = {}) {
    const access = etcd().access();
    await createEtcdStore(access, DATA);
    const { url } = access.address;
    const world = {
      ...options,
      env: { APPVARS_STORE: url, APPVARS_ENV: "shop/development", ...options.env },
    };
    const run = (line: string, stdin = "") => runCli(line.split(" "), { ...world, stdin });
    return { url, world, run };
  }

  it("init creates the starter data in an empty store, and leaves one that holds something", async () => {
    const url = etcd().storeUrl();
    const { stdout, stderr } = await runCli(["init", "--store", url, "--example"]);
    expect(stderr).toBe(
      `appvars: created ${url}; it contains the credentials of all its environments\n`,
    );
    expect(stdout).toBe("");
    const credentials = await runCli(["env", "credentials", "test", "--store", url]);
    expect(credentials.stdout).toMatch(
      /^export APPVARS_API_KEY=[0-9a-f]{32}\nexport APPVARS_API_SECRET=[0-9a-f]{64}\n$/,
    );
    expect(await runCli(["get", "PORT", "--store", url, "--env", "development"])).toEqual({
      ...DONE,
      stdout: "3000\n",
    });
    const again = { code: 8, stdout: "", stderr: `appvars: ${url} already holds data\n` };
    expect(await runCli(["init", "--store", url])).toEqual(again);
    const other = etcd().storeUrl();
    expect(JSON.parse((await runCli(["init", "--store", other, "--json"])).stdout)).toMatchObject({
      store: other,
    });
  });

  it("history removes old entries of a store only, and changes nothing else", async () => {
    const { run, url } = await filledStore();
    for (const port of [1, 2, 3]) await run(`set PORT ${port}`);
    expect(await run("history --prune 0")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse((await run("history --prune 0 --json")).stdout)).toEqual({
      store: url,
      prune: 0,
    });
    expect(await run("get PORT")).toEqual({ ...DONE, stdout: "3\n" });
    for (const count of ["", "-1", "1.5", "many"])
      expect(await run(`history --prune ${count}`)).toMatchObject({ code: 2, stdout: "" });
    const { path } = await dataFile(DATA);
    expect(await runCli(["history", "--prune", "1", "--data", path])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--prune is for a store"),
    });
  });

  it.each(["list", "get PORT", "set PORT 1", "env list", "serve --port 0", "doctor"])(
    "an empty store is an error that says how to fill it: %s",
    async (line) => {
      const url = etcd().storeUrl();
      const { code, stdout, stderr } = await runCli([...line.split(" "), "--store", url]);
      const how = `to create some, run appvars init --store ${url}, or appvars migrate FILE ${url}`;
      expect([code, stdout + stderr]).toEqual([
        8,
        expect.stringContaining(`${url} holds no data: ${how}`),
      ]);
    },
  );

  it("an empty store is an error of the TUI, and its environments are places once it has data", async () => {
    const store = etcd().storeUrl();
    const find = () =>
      runWith((io) => findPlaces({ store, env: "test" }, aCaller(io.surroundings)));
    await expect(find()).rejects.toThrow("holds no data");
    await runCli(["init", "--store", store, "--example"]);
    const { code: found } = await find();
    onTestFinished(() => found.close());
    const place = await found.places[found.place]?.open(() => {});
    expect((await place?.source.getContentByName("PORT"))?.value).toBe(0);
  });

  it("set, unset and import change a store, and the commands that read print the result", async () => {
    const { run, url } = await filledStore();
    expect(await run("set PORT 4000")).toEqual(DONE);
    expect(await run("unset DEBUG")).toEqual(DONE);
    expect(await run("import -", "EMPTY=full\nNEW=1\n")).toEqual(DONE);
    expect((await run("import - --dry-run --values", "NEW=2\n")).stdout).toMatch(
      /^\S+\tNEW\tchanged\t1\t2\n$/,
    );
    expect((await run("get PORT NEW EMPTY")).stdout).toBe("4000\n1\nfull\n");
    expect((await run("export --format json")).stdout).toContain('"PORT": 4000');
    expect((await run("list --type NUMBER --values")).stdout).toBe(
      "PORT\tNUMBER\tWhere it listens\t4000\nNEW\tNUMBER\t\t1\n",
    );
    expect((await run("show PORT --values")).stdout).toContain("value\t4000\n");
    expect((await run(`health --store ${url}`)).stdout).toMatch(/^OK\t/);
    expect(await run("get DEBUG")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('"DEBUG"'),
    });
  });

  it("many variables are imported as one change", async () => {
    const { run } = await filledStore();
    const lines = Array.from({ length: 500 }, (_, index) => `V${index}=${index}`);
    expect(await run("import -", lines.join("\n"))).toEqual(DONE);
    expect((await run("export --format json")).stdout).toContain('"V499": 499');
  });

  it("env manages the environments of a store", async () => {
    const { run, url } = await filledStore();
    const pair =
      /^export APPVARS_API_KEY=([0-9a-f]{32})\nexport APPVARS_API_SECRET=[0-9a-f]{64}\n$/;
    expect((await run("env add shop/staging")).stdout).toMatch(pair);
    const [, key] = pair.exec((await run("env rotate shop/test --grace 1h")).stdout) ?? [];
    const { stdout } = await run(`env list --store ${url}`);
    expect(stdout).toMatch(new RegExp(`^shop/test\t${key}\ttest-key until `, "m"));
    expect(await run("env remove shop/staging")).toMatchObject({ code: 2 });
    expect(await run("env remove shop/staging --yes")).toEqual(DONE);
    expect(await run("env add shop/test")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("already exists"),
    });
    expect((await run("env list --json")).stdout).not.toContain("staging");
  });

  it("diff compares environments of a store, of other stores, and of files", async () => {
    const { run, url } = await filledStore();
    const { path } = await dataFile(DATA);
    const other = etcd().access();
    await createEtcdStore(other, { ...DATA, values: DATA.values.filter(({ id }) => id !== 12) });
    expect((await run("diff shop/test shop/production")).stdout).toBe(
      "removed\tDATABASE_URL\nadded\tUNSET\n",
    );
    expect((await run(`diff shop/development ${other.address.url}:shop/development`)).stdout).toBe(
      "removed\tPORT\n",
    );
    expect((await run(`diff ${url}:shop/development ${path}:shop/development`)).stdout).toBe("");
    expect((await run(`diff shop/test shop/production --data ${path}`)).stdout).toContain("UNSET");
    const unnamed = await runCli(["diff", url, "shop/test"], { env: { APPVARS_STORE: url } });
    expect(unnamed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("which environment?"),
    });
  });

  it("sandbox serves a copy of a store to a command that can't find the store", async () => {
    const { world, url } = await filledStore();
    const script =
      '[ -n "$APPVARS_API_KEY" ] && [ "$APPVARS_API_KEY" != dev-key ] && [ -z "$APPVARS_STORE" ]';
    const argv = ["sandbox", "--store", url, "--env", "shop/development", "--", "sh", "-c", script];
    expect(await runCli(argv, { env: { ...world.env, PATH: process.env["PATH"] ?? "" } })).toEqual(
      DONE,
    );
  });

  it("show and doctor name the store and the setting that selects it", async () => {
    const { run, url } = await filledStore();
    expect((await run("show PORT")).stdout).toContain(`store\t${url} (APPVARS_STORE)\n`);
    const { code, stdout } = await run("doctor");
    expect(code).toBe(0);
    expect(stdout).toContain(`ok\tsettings\tstore ${url} (from APPVARS_STORE)\t\n`);
    expect(stdout).toContain(`ok\tstore\t${url} is valid: 4 environments, 8 variables\t\n`);
    expect(stdout).toContain(`\tappvars env rotate NAME --store ${url}\n`);
    expect(stdout).toContain("ok\tenvironment\tshop/development\t\n");
    expect(stdout).not.toContain("lock");
  });

  it("a profile can hold a store, with its files but not its password", async () => {
    const config = join(await temporaryFolder(), "config");
    const { url } = await filledStore();
    const keys = await secretFile("keys", KEY);
    const env = {
      APPVARS_STORE_CA_FILE: tlsPath("certificate.pem"),
      APPVARS_URL: "http://127.0.0.1:1",
    };
    const add = ["profile", "add", "shop", "--store", url, "--env", "shop/test"];
    expect(await runCli(add, { config, env })).toEqual(DONE);
    const profile = { store: url, env: "shop/test", store_ca_file: env.APPVARS_STORE_CA_FILE };
    const stored = async () =>
      JSON.parse(await readFile(join(config, "profiles.json"), "utf8")).profiles;
    expect(await stored()).toEqual({ shop: profile });
    expect((await runCli(["profile", "list"], { config })).stdout).toBe(
      `shop\t*\t${url}\tshop/test\n`,
    );
    expect((await runCli(["get", "DATABASE_URL"], { config })).stdout).toBe(
      "postgres://localhost/test\n",
    );
    expect(await runCli(["set", "PORT", "7"], { config })).toEqual(DONE);
    const wrong = [...add, "--force", "--seal-key-file", keys];
    expect(await runCli(wrong, { config })).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("is not sealed"),
    });
    const secret = { APPVARS_STORE_USER: "me", APPVARS_STORE_PASSWORD: "hunter2" };
    expect(await runCli([...wrong, "--no-check"], { config, env: secret })).toEqual(DONE);
    expect(await stored()).toEqual({
      shop: { store: url, env: "shop/test", seal_key_file: keys, store_user: "me" },
    });
  });

  it("serve follows a store, logs its URL and reads it again on SIGHUP", async () => {
    const cache = await temporaryFolder();
    const { world, url } = await filledStore({ cache });
    const { code, stderr } = await serving(
      [],
      async ({ url: server, log, reload }) => {
        const port = () =>
          runCli(["get", "PORT"], { env: { APPVARS_URL: server, ...CREDENTIALS } });
        expect(await port()).toEqual({ ...DONE, stdout: "3000\n" });
        expect(await runCli(["set", "PORT", "4000"], world)).toEqual(DONE);
        await expect.poll(log).toContain(`reloaded ${url}\n`);
        expect(await port()).toEqual({ ...DONE, stdout: "4000\n" });
        reload();
        await expect.poll(log).toContain(`SIGHUP: reloading ${url}\n`);
      },
      world,
    );
    expect(code).toBe(0);
    expect(stderr).toContain(`serving ${url} on http://127.0.0.1:`);
    expect(stderr).toContain(`run: appvars env rotate NAME --store ${url}\n`);
    // With which it can start while the cluster is down.
    expect(await readdir(join(cache, "snapshots"))).not.toEqual([]);
  });

  it("the TUI has a place for each environment of a store, which can be edited", async () => {
    const { world, url, run } = await filledStore();
    const { code: found } = await runWith((io) => findPlaces({}, aCaller(io.surroundings)), world);
    onTestFinished(() => found.close());
    expect(found.places.map(({ name }) => name)).toEqual([
      "shop/development",
      "shop/test",
      "shop/production",
      "billing/development",
    ]);
    expect(found.places[0]).toMatchObject({ kind: "environment", location: url });
    const place = await found.places[0]?.open(() => {});
    expect(place?.getCommand("PORT")).toBe(
      `appvars get PORT --store ${url} --env shop/development`,
    );
    const before = { type: "NUMBER", description: "Where it listens", value: 3000 } as const;
    const edit = await place?.editor?.prepare({
      name: "PORT",
      before,
      ...before,
      value: "4000",
      schema: "",
    });
    if (edit) await place?.editor?.apply(edit);
    expect((await run("get PORT")).stdout).toBe("4000\n");
    const [written] = (await place?.history?.read(() => true, 1)) ?? [];
    expect(written?.parts[0]?.changes[0]).toMatchObject({
      name: "PORT",
      before: { value: 3000 },
      after: { value: 4000 },
    });
    await run("set PORT 5000");
    await expect.poll(async () => (await place?.source.getContentByName("PORT"))?.value).toBe(5000);
  });

  it("an environment that a store does not have is an error of the TUI", async () => {
    const { world } = await filledStore();
    const opening = runWith((io) => findPlaces({ env: "nope" }, aCaller(io.surroundings)), world);
    await expect(opening).rejects.toThrow('no environment named "nope"');
  });

  it("a store whose records are sealed is read and served with the key file only", async () => {
    const keys = await secretFile("keys", `${KEY}\n`);
    const url = etcd().storeUrl();
    const args = ["--store", url, "--env", "test"];
    expect(
      (await runCli(["init", "--store", url, "--seal-key-file", keys, "--example"])).code,
    ).toBe(0);
    expect(
      await runCli(["set", "PORT", "5", ...args], { env: { APPVARS_SEAL_KEY_FILE: keys } }),
    ).toEqual(DONE);
    expect((await runCli(["get", "PORT", ...args, "--seal-key-file", keys])).stdout).toBe("5\n");
    const { code, stderr } = await runCli(["get", "PORT", ...args]);
    expect([code, stderr]).toEqual([
      8,
      expect.stringContaining(
        "is sealed: set APPVARS_SEAL_KEY, or name the key's file with --seal-key-file\n",
      ),
    ]);
    await chmod(keys, 0o644);
    const served = await serving(["--store", url, "--seal-key-file", keys], async () => {});
    expect(served.stderr).toContain(
      "can't save data for starting while the store is down: ENOTDIR",
    );
    expect(served.stderr).toContain(`${keys} holds secrets and others may read it (mode 0644)`);
    const doctor = await runCli(["doctor", ...args, "--seal-key-file", keys]);
    expect(doctor.stdout).toContain(
      `warning\tfile_modes\tother users have access to ${keys} (mode 0644)`,
    );
    const { code: found } = await runWith((io) =>
      findPlaces({ store: url, sealKeyFile: keys }, aCaller(io.surroundings)),
    );
    onTestFinished(() => found.close());
    const place = await found.places[0]?.open(() => {});
    expect(place?.getCommand("PORT")).toContain(`--store ${url} --seal-key-file ${keys} --env`);
  });

  it("serve does not append its audit log to the key file", async () => {
    const keys = await secretFile("keys", KEY);
    const url = etcd().storeUrl();
    await runCli(["init", "--store", url, "--seal-key-file", keys]);
    const argv = [
      "serve",
      "--port",
      "0",
      "--store",
      url,
      "--seal-key-file",
      keys,
      "--audit-log",
      keys,
    ];
    const message = `appvars: --audit-log ${keys} is the file of --seal-key-file, which its lines would destroy\n`;
    expect(await runCli(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(await readFile(keys, "utf8")).toBe(KEY);
  });
});

describe("--store with TLS", needs("etcd"), () => {
  describe("and a login", () => {
    const etcd = sharedEtcd({ tls: true, auth: {} });

    it("the user and the password come from variables, or the password from a file", async () => {
      const url = etcd().storeUrl();
      const common = {
        APPVARS_STORE: url,
        APPVARS_STORE_CA_FILE: tlsPath("certificate.pem"),
        APPVARS_STORE_USER: USER.name,
      };
      const file = {
        ...common,
        APPVARS_STORE_PASSWORD_FILE: await secretFile("password", `${USER.password}\n`),
      };
      const variable = { ...common, APPVARS_STORE_PASSWORD: USER.password };
      expect((await runCli(["init", "--example"], { env: variable })).code).toBe(0);
      for (const env of [file, variable])
        expect((await runCli(["get", "PORT", "--env", "test"], { env })).stdout).toBe("0\n");
      const wrong = { ...common, APPVARS_STORE_PASSWORD: "hunter2" };
      const { code, stdout, stderr } = await runCli(["doctor", "--env", "test"], { env: wrong });
      expect([code, stdout + stderr]).toEqual([4, expect.stringContaining("problem\tstore\t")]);
      expect(stdout + stderr).not.toContain("hunter2");
    });

    it("run passes the variables of a store on, but no password", async () => {
      const url = etcd().storeUrl();
      const env = {
        PATH: process.env["PATH"] ?? "",
        APPVARS_STORE: url,
        APPVARS_STORE_CA_FILE: tlsPath("certificate.pem"),
        APPVARS_STORE_USER: USER.name,
        APPVARS_STORE_PASSWORD: USER.password,
      };
      await runCli(["init", "--example"], { env });
      const script = '[ "$PORT,$APPVARS_STORE,$APPVARS_STORE_PASSWORD" = "$1" ]';
      const command = ["--env", "test", "--", "sh", "-c", script, "sh"];
      expect(await runCli(["run", ...command, `0,${url},`], { env })).toEqual(DONE);
      const passed = `0,${url},${USER.password}`;
      expect(await runCli(["run", "--pass-credentials", ...command, passed], { env })).toEqual(
        DONE,
      );
    });
  });

  describe("and client certificates", () => {
    const etcd = sharedEtcd({ tls: true });

    it("the certificates come from files", async () => {
      const url = etcd().storeUrl();
      const env = {
        APPVARS_STORE: url,
        APPVARS_STORE_CA_FILE: await secretFile("ca.pem", TLS.cert),
        APPVARS_STORE_CLIENT_CERT: await secretFile("client.pem", CLIENT.cert),
        APPVARS_STORE_CLIENT_KEY: await secretFile("client-key.pem", CLIENT.key),
      };
      expect((await runCli(["init", "--example"], { env })).code).toBe(0);
      expect((await runCli(["get", "PORT", "--env", "test"], { env })).stdout).toBe("0\n");
      const mixed = { ...env, APPVARS_STORE_CLIENT_KEY: tlsPath("key.pem") };
      const { code, stderr } = await runCli(["get", "PORT", "--env", "test"], { env: mixed });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("does not belong to the certificate in APPVARS_STORE_CLIENT_CERT"),
      ]);
    });
  });
});
