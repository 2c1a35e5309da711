import { describe, expect, it, onTestFinished } from "vitest";
import { createEtcdStore, openEtcdStore, type StoreAccess, sealAgain } from "../../../src/etcd/open-store.js";
import { MARKER, marked } from "../../store/broken-data.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set } from "../../support/edits.js";
import { sharedEtcd } from "../../support/etcd.js";
import { putByHand, readByHand, recordsOf } from "../../support/etcd-records.js";
import { needs } from "../../support/needed-program.js";

const [FIRST, SECOND] = ["first-key-0123456789abcdef0123456789", "second-key-0123456789abcdef01234567"];
const WRONG_KEY = "is sealed with a key that is not in the file of --store-key-file";
const TAMPERED = "can't be opened: it was changed, or moved from another key";
const NOT_SEALED = "is not sealed: the store has not been sealed yet, or somebody without the key has written it";

describe("a sealed store", needs("etcd"), () => {
  const etcd = sharedEtcd();

  async function start(sealingKeys: string | undefined, data = DATA) {
    const prefix = etcd().newPrefix();
    const access = (keys: string | undefined): StoreAccess => ({
      ...etcd().access(etcd().storeUrl(prefix)),
      sealingKeys: keys,
    });
    await createEtcdStore(access(sealingKeys), data);
    const open = async (keys: string | undefined, options = {}) => {
      const store = await openEtcdStore(access(keys), options);
      onTestFinished(() => store.close());
      return store;
    };
    return { prefix, access, open, read: () => readByHand(etcd(), prefix) };
  }

  it("nothing but the head can be read in etcd, not even while a large change is pending", async () => {
    const { read, open } = await start(FIRST, marked() as typeof DATA);
    const store = await open(FIRST);
    const seen: string[] = [];
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`V${index}`, MARKER]));
    const updating = store.update((data) => set(data, many));
    for (let reads = 0; reads < 10; reads++) seen.push(JSON.stringify(await read()));
    await updating;
    seen.push(JSON.stringify(await read()));
    expect(seen.filter((text) => text.includes(MARKER) || text.includes("DATABASE_URL"))).toEqual([]);
    expect(contents(await open(FIRST))).toMatchObject(many);
  });

  it("a store that is sealed is refused without its key, and one that is not with a key", async () => {
    const sealed = await start(FIRST);
    await expect(sealed.open(undefined)).rejects.toThrow(/\/\S+\/1 is sealed: to read it, use --store-key-file/);
    await expect(sealed.open(SECOND)).rejects.toThrow(WRONG_KEY);
    const plain = await start(undefined);
    await expect(plain.open(FIRST)).rejects.toThrow(NOT_SEALED);
  });

  it("records that were swapped, or taken from another store, are refused", async () => {
    const [one, other] = [await start(FIRST), await start(FIRST)];
    const raw = async (key: string) => {
      const answer = await etcd().call("kv/range", { key: Buffer.from(key).toString("base64") });
      const [entry] = answer["kvs"] as { value: string }[];
      return Buffer.from(entry?.value ?? "", "base64");
    };
    await putByHand(etcd(), one.prefix, { "values/11": await raw(`${one.prefix}/values/18`) });
    await expect(one.open(FIRST)).rejects.toThrow(`values/11 ${TAMPERED}`);
    await putByHand(etcd(), one.prefix, { "values/11": await raw(`${other.prefix}/values/11`) });
    await expect(one.open(FIRST)).rejects.toThrow(`values/11 ${TAMPERED}`);
  });

  it("a store is sealed again with the first key, while others follow it", async () => {
    const { access, open } = await start(undefined);
    expect(await sealAgain(access(FIRST))).toBe(DATA.environments.length + DATA.variables.length + DATA.values.length);
    expect(await sealAgain(access(FIRST))).toBe(0);
    const rotated = `${SECOND}\n${FIRST}`;
    const [watching, writer] = [await open(rotated, { watch: true }), await open(rotated)];
    await writer.update(increment);
    expect(await sealAgain(access(rotated))).toBe(20);
    await writer.update(increment);
    await expect.poll(() => contents(watching)["PORT"]).toBe(3002);
    expect(watching.problem).toBeUndefined();
    expect((await open(SECOND)).snapshot).toEqual(writer.snapshot);
    await expect(open(FIRST)).rejects.toThrow(WRONG_KEY);
  });

  it("a record that was added without the key is not sealed with the others", async () => {
    const { access, prefix, read } = await start(FIRST);
    await putByHand(etcd(), prefix, { "values/12": recordsOf(DATA)["values/12"] });
    const before = await read();
    await expect(sealAgain(access(`${SECOND}\n${FIRST}`))).rejects.toThrow(
      "values/12 is not sealed, although others are: somebody without the key has written it",
    );
    expect(await read()).toEqual(before);
  });

  it("a store that holds something is not written over, and of several that create one only the first does", async () => {
    const { access, read } = await start(FIRST);
    const before = await read();
    await expect(createEtcdStore(access(FIRST), DATA)).rejects.toThrow("holds data already");
    expect(await read()).toEqual(before);

    const empty = etcd().access();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => createEtcdStore(empty, DATA)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const store = await openEtcdStore(empty);
    onTestFinished(() => store.close());
    expect(contents(store)["PORT"]).toBe(3000);
  });
});
