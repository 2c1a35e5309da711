import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { encrypt } from "../../../src/client/envelope.js";
import type { RateLimit } from "../../../src/model/reads/http-headers.js";
import { readAll } from "../../../src/model/reads/page.js";
import { FileSealing } from "../../../src/store/bytes/file-sealing.js";
import { findPlaces } from "../../../src/tui/adapters/find-places.js";
import type { OpenPlace, Place } from "../../../src/tui/state/ports.js";
import { aCaller } from "../../support/caller.js";
import { type CliOptions, runWith } from "../../support/cli.js";
import { CREDENTIALS, DATA, DEVELOPMENT, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { runningServer } from "../../support/running-server.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const PROFILE = { api_key: DEVELOPMENT.apiKey, api_secret: DEVELOPMENT.apiSecret };
const ONE_APPLICATION = edited((data) => {
  data.environments.pop();
  data.variables.pop();
  data.values = data.values.filter(
    ({ environment_id }: { environment_id: number }) => environment_id !== 4,
  );
});

async function placesOf(flags: Record<string, string>, options: CliOptions = {}) {
  const { code: found, stderr } = await runWith(
    (io) =>
      findPlaces(flags, aCaller(io.surroundings, { warn: (text) => void io.stderr.write(text) })),
    options,
  );
  onTestFinished(() => found.close());
  const open = async (
    place: Place | undefined,
    onRateLimit: (rateLimit: RateLimit) => void = () => {},
  ) => {
    if (!place) throw new Error("no such place");
    const opened = await place.open(onRateLimit);
    onTestFinished(() => opened.source.close());
    return opened;
  };
  return {
    ...found,
    stderr,
    open,
    names: found.places.map(({ name }) => name),
    current: found.places[found.place],
  };
}

/** A folder with profiles, and with an `.appvars.json` if given. */
async function world(
  profiles: object,
  project?: object,
): Promise<Required<Pick<CliOptions, "cwd" | "config">>> {
  const folder = await temporaryFolder();
  const [cwd, config] = [join(folder, "project"), join(folder, "config")];
  await Promise.all([mkdir(cwd), mkdir(config)]);
  await writeFile(join(config, "profiles.json"), JSON.stringify({ version: 1, ...profiles }), {
    mode: 0o600,
  });
  if (project) await writeFile(join(cwd, ".appvars.json"), JSON.stringify(project));
  return { cwd, config };
}

const databaseUrl = async ({ source }: OpenPlace) =>
  (await source.getContentByName("DATABASE_URL")).value;

describe("a data file", () => {
  it("has a place for each environment, named with its application if there are several", async () => {
    const { path } = await dataFile(DATA);
    const { names, current, places, open } = await placesOf({ data: path });
    expect(names).toEqual([
      "shop/development",
      "shop/test",
      "shop/production",
      "billing/development",
    ]);
    expect(current).toMatchObject({
      name: "shop/development",
      kind: "environment",
      location: path,
    });
    expect(await databaseUrl(await open(places[3]))).toBe("postgres://localhost/ledger");
  });

  it("a place knows its application and its identity", async () => {
    const mixed = edited((data) => data.environments.splice(1, 0, data.environments.pop()));
    const { places, current } = await placesOf({
      data: (await dataFile(mixed)).path,
      env: "shop/test",
    });
    expect(places.map(({ group, identity }) => [group, identity])).toEqual([
      ["shop", "shop/development"],
      ["billing", "billing/development"],
      ["shop", "shop/test"],
      ["shop", "shop/production"],
    ]);
    expect(current?.name).toBe("shop/test");
  });

  it("with one application has places named without it", async () => {
    const { names, places, open } = await placesOf({
      data: (await dataFile(ONE_APPLICATION)).path,
    });
    expect(names).toEqual(["development", "test", "production"]);
    expect(await databaseUrl(await open(places[1]))).toBe("postgres://localhost/test");
  });

  it.each([
    [{ env: "test" }, "shop/test"],
    [{ env: "billing/development" }, "billing/development"],
    [{}, "shop/development"],
  ])("findPlaces with %o starts at %s", async (flags, name) => {
    const { current } = await placesOf({ data: (await dataFile(DATA)).path, ...flags });
    expect(current?.name).toBe(name);
  });

  it("has one store for all its places, even after one of them is closed", async () => {
    const { places, open } = await placesOf({ data: (await dataFile(DATA)).path });
    const [first, second] = [await open(places[0]), await open(places[1])];
    const type = "STRING" as const;
    const changes = [
      { name: "NEW", before: undefined, after: { type, description: "x", value: "y" } },
    ];
    await first.editor?.apply([{ environment: "shop/development", changes }]);
    await first.source.close();
    expect(
      (await readAll((page) => second.source.listVariables(page))).map(({ name }) => name),
    ).toContain("NEW");
    expect((await first.source.getContentByName("NEW")).value).toBe("y");
  });

  it("reports what check finds, by the names of variables", async () => {
    const data = edited(({ variables, values }) => {
      variables.find(({ name }: { name: string }) => name === "PORT").schema = { maximum: 80 };
      values.splice(1, 1);
    });
    const { current, open } = await placesOf({ data: (await dataFile(data)).path });
    const problems = await (await open(current)).check?.();
    expect(problems?.get("PORT")).toBe("must be <= 80");
    expect(problems?.get("DATABASE_URL")).toBe("has no value");
  });

  it("a place knows its named keys, and what they can read", async () => {
    const key = {
      name: "worker",
      only: ["PORT"],
      api_key: "worker-key",
      api_secret: "worker-secret",
    };
    const data = edited(({ environments }) => (environments[0].keys = [key]));
    const { current, places } = await placesOf({ data: (await dataFile(data)).path });
    expect(current?.apiKeys).toEqual([{ name: "worker", only: ["PORT"] }]);
    expect(places.map(({ isServer, isSealed }) => isServer || isSealed)).not.toContain(true);
  });

  it("that is sealed shows names and public values without its key, and is read-only", async () => {
    const { path, write } = await dataFile(DATA);
    const keys = "0123456789abcdef0123456789abcdef0123456789abcdef";
    await write(new FileSealing(keys, "sealed").seal(DATA));
    const locked = await placesOf({ data: path });
    expect(locked.places.map(({ isSealed }) => isSealed)).not.toContain(false);
    expect(locked.current?.readOnly).toBe(
      `${path} is sealed: set APPVARS_SEAL_KEY, or name the key's file with --seal-key-file`,
    );
    expect(await databaseUrl(await locked.open(locked.places[1]))).toMatch(/^appvars:sealed:v1:/);
    await writeFile(`${path}.key`, keys, { mode: 0o600 });
    const { places, open } = await placesOf({ data: path });
    expect(places.map(({ isSealed, readOnly }) => [isSealed, readOnly])).toEqual(
      places.map(() => [true, undefined]),
    );
    expect(await databaseUrl(await open(places[1]))).toBe("postgres://localhost/test");
  });

  it("is read-only if other users can change it", async () => {
    const { path } = await dataFile(DATA);
    await chmod(path, 0o666);
    const { current } = await placesOf({ data: path });
    expect(current?.readOnly).toContain("can be changed by other users");
  });

  it("shows changes by other programs", async () => {
    const { path, write } = await dataFile(DATA);
    const { current, open } = await placesOf({ data: path });
    const opened = await open(current);
    await write(edited((data) => (data.values[1].content.value = "changed")));
    await expect.poll(() => databaseUrl(opened), { timeout: 10_000 }).toBe("changed");
  });

  it("an environment that is gone can't be read until it is back", async () => {
    const { path, write } = await dataFile(DATA);
    const { places, open } = await placesOf({ data: path });
    const { source } = await open(places[1]);
    const read = () => source.readSnapshot((snapshot) => snapshot.getContentByName("DATABASE_URL"));
    const withoutTest = edited((data) => {
      const [{ id }] = data.environments.splice(1, 1);
      data.values = data.values.filter(
        ({ environment_id }: { environment_id: number }) => environment_id !== id,
      );
    });
    await write(withoutTest);
    await expect
      .poll(() =>
        read().then(
          () => "",
          ({ message }) => message,
        ),
      )
      .toContain("no environment");
    await write(DATA);
    await expect
      .poll(() =>
        read().then(
          ({ value }) => value,
          () => "",
        ),
      )
      .toBe("postgres://localhost/test");
  });

  it("findPlaces rejects a missing or invalid data file and a missing environment", async () => {
    const invalid = await dataFile("{");
    await expect(placesOf({ data: invalid.path })).rejects.toThrow("is not valid JSON");
    const data = join(await temporaryFolder(), "vrs.json");
    await expect(placesOf({ data })).rejects.toMatchObject({ code: "invalid_data" });
    const { path } = await dataFile(DATA);
    await expect(placesOf({ data: path, env: "tset" })).rejects.toThrow("did you mean test?");
  });

  it("getCommand escapes control characters, which a terminal would read as keys", async () => {
    const path = join(await temporaryFolder(), "\u001b[201~\ntrue\n.json");
    await writeFile(path, JSON.stringify(DATA));
    const { places, open } = await placesOf({ data: path });
    const { getCommand } = await open(places[1]);
    expect(getCommand("PORT")).toContain("/\\x1b[201~\\ntrue\\n.json' --env");
  });

  it("getCommand quotes paths and makes them absolute", async () => {
    const folder = join(await temporaryFolder(), "it's here");
    await mkdir(folder);
    await writeFile(join(folder, "vars.json"), JSON.stringify(DATA));
    const { places, open } = await placesOf({ data: join(folder, "vars.json") });
    const { getCommand } = await open(places[1]);
    const path = `'${folder.replace("'", "'\\''")}/vars.json'`;
    expect(getCommand("PORT")).toBe(`appvars get PORT --data ${path} --env shop/test`);
  });

  it("a place decrypts values with the given key", async () => {
    const content = edited(
      (data) => (data.values[1].content.value = encrypt("hunter2", "the key")),
    );
    const flags = { data: (await dataFile(content)).path };
    const withKey = await placesOf(flags, { env: { APPVARS_ENC_KEY: "the key" } });
    const [opened, without] = [await withKey.open(withKey.current), await placesOf(flags)];
    const value = await databaseUrl(opened);
    expect(opened.decrypt("DATABASE_URL", value)).toBe("hunter2");
    const { decrypt } = await without.open(without.current);
    expect(() => decrypt("DATABASE_URL", value)).toThrow(
      "DATABASE_URL is encrypted: set APPVARS_ENC_KEY",
    );
  });
});

describe("a server", () => {
  it("findPlaces lists all profiles, local and remote, and starts at the current one", async () => {
    const { url } = await runningServer();
    const { path } = await dataFile(DATA);
    const profiles = { staging: { url, ...PROFILE }, file: { data: path, env: "shop/test" } };
    const { places, place, open } = await placesOf(
      {},
      await world({ current: "staging", profiles }),
    );
    expect(places).toMatchObject([
      {
        name: "staging",
        group: url,
        identity: `key ${DEVELOPMENT.apiKey}`,
        kind: "profile",
        location: url,
      },
      { name: "file", group: path, identity: "shop/test", kind: "profile", location: path },
    ]);
    expect(place).toBe(0);
    const [remote, local] = [await open(places[0]), await open(places[1])];
    expect(places.map(({ isServer }) => isServer)).toContain(true);
    expect([await databaseUrl(remote), remote.editor]).toEqual([
      "postgres://localhost/dev",
      undefined,
    ]);
    expect([await databaseUrl(local), local.editor]).toEqual([
      "postgres://localhost/test",
      expect.anything(),
    ]);
    expect(remote.getCommand("PORT")).toBe("appvars get PORT --profile staging");
  });

  it("findPlaces starts at the chosen profile", async () => {
    const profiles = { a: { url: "http://a" }, b: { url: "http://b" } };
    const { current } = await placesOf({ profile: "b" }, await world({ current: "a", profiles }));
    expect(current?.name).toBe("b");
  });

  it("a place uses auth: headers of its profile, chosen or not", async () => {
    const { url } = await runningServer();
    const profile = { url, auth: "headers", ...PROFILE };
    const { places, open } = await placesOf(
      {},
      await world({ current: "a", profiles: { a: profile, b: profile } }),
    );
    for (const place of places)
      expect(await databaseUrl(await open(place))).toBe("postgres://localhost/dev");
  });

  it("a valid profile opens next to invalid ones", async () => {
    const { url } = await runningServer();
    const profiles = {
      good: { url, ...PROFILE },
      bare: { url },
      bad: { url: "x:y" },
      odd: { color: 1 },
    };
    const { places, open } = await placesOf({}, await world({ current: "good", profiles }));
    expect(await databaseUrl(await open(places[0]))).toBe("postgres://localhost/dev");
    await expect(open(places[1])).rejects.toMatchObject({ code: "unauthorized" });
    await expect(open(places[2])).rejects.toMatchObject({ code: "usage" });
    await expect(open(places[3])).rejects.toThrow('"color" of profile odd is not a setting');
  });

  it("from the environment comes first, and its settings do not apply to the profiles", async () => {
    const { url } = await runningServer();
    const env = {
      APPVARS_URL: "http://127.0.0.1:1",
      APPVARS_API_KEY: "of-another",
      APPVARS_API_SECRET: "secret",
    };
    const settings = {
      ...(await world({ current: "mine", profiles: { mine: { url, ...PROFILE } } })),
      env,
    };
    const { places, place, open } = await placesOf({}, settings);
    expect(places.map(({ name, kind }) => [name, kind])).toEqual([
      ["127.0.0.1:1", "server"],
      ["mine", "profile"],
    ]);
    expect(place).toBe(0);
    const mine = await open(places[1]);
    expect(await databaseUrl(mine)).toBe("postgres://localhost/dev");
    const unset = "env -u APPVARS_URL -u APPVARS_API_KEY -u APPVARS_API_SECRET";
    expect(mine.getCommand("PORT")).toBe(`${unset} appvars get PORT --profile mine`);
    const named = await open(places[0]);
    expect(named.getCommand("PORT")).toBe("appvars get PORT --url http://127.0.0.1:1");
    await expect(databaseUrl(named)).rejects.toMatchObject({ code: "unreachable" });
  });

  it("a profile of a store has its URL, and ignores variables for other stores", async () => {
    const profiles = { shop: { store: "etcd://127.0.0.1:1/shop", seal_key_file: "/nowhere/keys" } };
    const env = { APPVARS_URL: "http://127.0.0.1:1", APPVARS_SEAL_KEY_FILE: "/elsewhere/keys" };
    const { places, open } = await placesOf({}, { ...(await world({ profiles })), env });
    expect(places[1]).toMatchObject({
      name: "shop",
      kind: "profile",
      location: "etcd://127.0.0.1:1/shop",
    });
    await expect(open(places[1])).rejects.toThrow(
      "seal_key_file of profile shop /nowhere/keys can't be read",
    );
  });

  it("from .appvars.json is called .appvars.json", async () => {
    const settings = await world({ profiles: {} }, { url: "http://127.0.0.1:1" });
    const env = { APPVARS_ALLOW_PROJECT: "1" };
    const { names } = await placesOf({}, { ...settings, env });
    expect(names).toEqual([".appvars.json"]);
  });

  it("findPlaces refuses a server from .appvars.json until the file is allowed", async () => {
    const settings = await world({ profiles: {} }, { url: "http://127.0.0.1:1" });
    await expect(placesOf({}, settings)).rejects.toThrow(
      "is not allowed yet, and would set url http://127.0.0.1:1",
    );
  });

  it("getCommand repeats the flags that select the server, which contain no secret", async () => {
    const secret = join(await temporaryFolder(), "my secret");
    await writeFile(secret, "hunter2");
    const { current, open } = await placesOf({
      url: "http://127.0.0.1:1",
      apiKey: "key",
      apiSecretFile: secret,
    });
    const { getCommand } = await open(current);
    expect(getCommand("PORT")).toBe(
      `appvars get PORT --url http://127.0.0.1:1 --api-key key --api-secret-file '${secret}'`,
    );
    expect(getCommand("--url=x\x03")).toContain("-- '--url=x\\x03'");
  });

  it("a place reports the rate limit with each response", async () => {
    const { url } = await runningServer({ rateLimit: 2 });
    const { current, open, stderr } = await placesOf({ url }, { env: CREDENTIALS });
    const told: RateLimit[] = [];
    const { source } = await open(current, (rateLimit) => told.push(rateLimit));
    await source.getContentByName("PORT");
    await source.getContentByName("PORT");
    await expect(source.getContentByName("PORT")).rejects.toMatchObject({ code: "rate_limited" });
    expect(told.map(({ limit, remaining }) => [limit, remaining])).toEqual([
      [2, 1],
      [2, 0],
      [2, 0],
    ]);
    expect(stderr).toBe("");
  });

  it("a place sends each request once, because the TUI itself retries", async () => {
    const { url } = await runningServer({ faults: { failRate: 1 } });
    const { current, open } = await placesOf({ url, maxWait: "60" }, { env: CREDENTIALS });
    const told: RateLimit[] = [];
    const { source } = await open(current, (rateLimit) => told.push(rateLimit));
    await expect(source.getContentByName("PORT")).rejects.toMatchObject({ code: "server_error" });
    expect(told).toHaveLength(1);
  });

  it("a place only asks whether its data has changed", async () => {
    const { url } = await runningServer();
    const { current, open } = await placesOf({ url }, { env: CREDENTIALS });
    const { source } = await open(current);
    const first = await source.listVariables();
    expect(await source.listVariables()).toBe(first);
  });
});
