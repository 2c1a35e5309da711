import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openEtcdStore } from "../../../../src/etcd/open-store.js";
import { runCli } from "../../../support/cli.js";
import { DATA, edited } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { sharedEtcd } from "../../../support/etcd.js";
import { COUNTS, FULL, migrate, newFile, readData, SECRET } from "../../../support/migrating.js";
import { needs } from "../../../support/needed-program.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";

async function keyFile(...keys: string[]): Promise<string> {
  const path = join(await temporaryFolder(), "keys");
  await writeFile(path, `${keys.map((key) => key.repeat(32)).join("\n")}\n`, { mode: 0o600 });
  return path;
}

describe("migrate with a store", needs("etcd"), () => {
  const etcd = sharedEtcd();
  const open = async (url: string, sealKeys?: string) => {
    const store = await openEtcdStore({ ...etcd().access(url), sealKeys });
    await store.close();
    return store.data;
  };
  /** The records of etcd under a URL: the revision of each key, and all values. */
  const entriesOf = async (url: string) => {
    const [from, end] = ["/", "0"].map((last) =>
      Buffer.from(new URL(url).pathname + last).toString("base64"),
    );
    const { kvs } = (await etcd().call("kv/range", { key: from, range_end: end })) as {
      kvs?: Record<string, string>[];
    };
    const text = (part = "") => Buffer.from(part, "base64").toString("latin1");
    return (kvs ?? []).map(({ key, value, mod_revision }) => ({
      key: text(key),
      value: text(value),
      mod_revision,
    }));
  };

  it("migrate copies a file to a store and back", async () => {
    const url = etcd().storeUrl();
    const { path } = await dataFile(FULL);
    expect(await migrate(path, url)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`copied ${COUNTS} from`),
    });
    const back = await newFile();
    const { code, stdout } = await migrate(url, back, "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { from: url, to: back, written: true, environments: 4, variables: 8, values: 9 },
    ]);
    const sorted = edited((data) => {
      Object.assign(data, FULL);
      for (const list of ["variables", "values"])
        data[list] = data[list].toSorted((a: { id: number }, b: typeof a) => a.id - b.id);
    });
    expect(await readData(back)).toEqual(sorted);
  });

  it("migrate writes nothing to a store that holds the same", async () => {
    const url = etcd().storeUrl();
    const { path } = await dataFile(FULL);
    await migrate(path, url);
    const before = await entriesOf(url);
    const { code, stderr } = await migrate(path, url);
    expect([code, stderr]).toEqual([0, expect.stringContaining("nothing was written")]);
    expect(await entriesOf(url)).toEqual(before);
  });

  it("migrate does not change a store that holds other data", async () => {
    const prefix = etcd().newPrefix();
    const url = etcd().storeUrl(prefix);
    await migrate((await dataFile(FULL)).path, url);
    const before = await entriesOf(url);
    const { code, stderr } = await migrate((await dataFile(DATA)).path, url);
    const advice = `name another prefix, or remove the data with etcdctl del --prefix ${prefix}/`;
    expect([code, stderr]).toEqual([
      8,
      `appvars: ${url} holds other data, and was not changed: ${advice}\n`,
    ]);
    expect(await entriesOf(url)).toEqual(before);
  });

  it("migrate goes on after a copy that was interrupted before it counted", async () => {
    const url = etcd().storeUrl();
    const key = Buffer.from(`${new URL(url).pathname}/parts/abandoned/000000`).toString("base64");
    await etcd().call("kv/put", { key, value: "AAAA" });
    const { path } = await dataFile(FULL);
    expect(await migrate(path, url)).toMatchObject({ code: 0 });
    expect(await open(url)).toMatchObject({
      last_ids: { environments: 9, variables: 90, values: 900 },
    });
  });

  it("migrate copies a store to another store, both sealed", async () => {
    const [from, to] = [etcd().storeUrl(), etcd().storeUrl()];
    const keys = await keyFile("a");
    await migrate((await dataFile(FULL)).path, from, "--seal-key-file", keys);
    expect(await migrate(from, to)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("is sealed"),
    });
    expect(await entriesOf(to)).toEqual([]);
    expect(await migrate(from, to, "--seal-key-file", keys)).toMatchObject({ code: 0 });
    expect(JSON.stringify(await entriesOf(to))).not.toMatch(SECRET);
    expect(await open(to, "a".repeat(32))).toEqual(await open(from, "a".repeat(32)));
  });

  it("seal seals a store, and again with another key", async () => {
    const seal = (url: string, keys: string, ...args: string[]) =>
      runCli(["seal", url, "--seal-key-file", keys, ...args]);
    const url = etcd().storeUrl();
    await migrate((await dataFile(FULL)).path, url);
    const before = await open(url);
    const first = await keyFile("a");
    const sealed = (keys: string) =>
      `appvars: ${url} is now sealed with the first key of ${keys}; its history begins with this\n`;
    expect(await seal(url, first)).toEqual({ code: 0, stdout: "", stderr: sealed(first) });
    expect(JSON.stringify(await entriesOf(url))).not.toMatch(SECRET);

    const both = await keyFile("b", "a");
    expect(await seal(url, both)).toMatchObject({ code: 0, stderr: sealed(both) });
    expect(await open(url, "b".repeat(32))).toEqual(before);

    const { code, stdout } = await seal(url, both, "--json");
    expect([code, JSON.parse(stdout)]).toEqual([0, { store: url, sealed: true }]);
    const [entry, ...others] = (await entriesOf(url)).filter(({ key }) => key.includes("/log/"));
    expect([entry?.key.endsWith("/0000000000000004"), others]).toEqual([true, []]);
  });
});
