import { describe, expect, it, onTestFinished } from "vitest";
import { logKey, newId, partKey } from "../../../src/etcd/log.js";
import {
  createEtcdStore,
  type EtcdConnection,
  openEtcdStore,
  resealAll,
} from "../../../src/etcd/open-store.js";
import { Sealing } from "../../../src/etcd/sealing.js";
import { MARKER, marked } from "../../store/broken-data.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set } from "../../support/edits.js";
import { sharedEtcd } from "../../support/etcd.js";
import { nextOf, putByHand, storeOf } from "../../support/etcd-records.js";
import { openEtcd } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";

const [FIRST, SECOND] = [
  "first-key-0123456789abcdef0123456789",
  "second-key-0123456789abcdef01234567",
];
const WRONG_KEY = "is sealed with a key that is not among the seal keys";
const TAMPERED = "can't be opened: it was changed, or moved from another key";
const NOT_SEALED =
  "is not sealed: somebody without the key has written it, or the store is not sealed";
const OTHER_OWNER = "belongs to another store or write";

/** Text of two parts, which does not pack well. */
const BIG = Array.from({ length: 60_000 }, newId).join(MARKER);

describe("a sealed store", needs("etcd"), () => {
  const etcd = sharedEtcd();

  async function start(sealKeys: string | undefined, data = DATA, prefix = etcd().newPrefix()) {
    const access = (keys: string | undefined): EtcdConnection => ({
      ...etcd().access(etcd().storeUrl(prefix)),
      sealKeys: keys,
    });
    await createEtcdStore(access(sealKeys), data);
    const open = async (keys: string | undefined = FIRST, options = {}) => {
      const store = await openEtcdStore(access(keys), options);
      onTestFinished(() => store.close());
      return store;
    };
    /** The keys below the prefix. */
    const read = async (): Promise<Record<string, Buffer>> => {
      const [key, range_end] = ["/", "0"].map((end) =>
        Buffer.from(prefix + end).toString("base64"),
      );
      const { kvs } = await etcd().call("kv/range", { key, range_end });
      return Object.fromEntries(
        (kvs as { key: string; value: string }[]).map(({ key, value }) => [
          Buffer.from(key, "base64")
            .toString()
            .slice(prefix.length + 1),
          Buffer.from(value, "base64"),
        ]),
      );
    };
    const put = (changed: Parameters<typeof putByHand>[2]) => putByHand(etcd(), prefix, changed);
    return { prefix, access, open, read, put };
  }

  it("head, entries and parts can't be read in etcd", async () => {
    const { read, open } = await start(FIRST, marked() as typeof DATA);
    const store = await open();
    await store.update(increment);
    await store.update((data) => set(data, { BIG }));
    const keys = Object.entries(await read()).filter(([key]) => !key.startsWith("uploads/"));
    expect(keys.map(([key]) => key.split("/")[0])).toEqual(
      expect.arrayContaining(["head", "log", "parts"]),
    );
    // Nor that it is packed.
    const mark = Buffer.from("\u0001av2");
    for (const [, value] of keys) expect(value.subarray(0, 4)).toEqual(mark);
    const all = Buffer.concat(keys.map(([, value]) => value));
    for (const text of [MARKER, "DATABASE_URL", "snapshot", "unknown", "before"])
      expect(all.includes(text)).toBe(false);
    expect((await open()).data).toEqual(store.data);
  });

  it("a store that is sealed is refused without its key, and one that is not with a key", async () => {
    const sealed = await start(FIRST);
    await expect(openEtcdStore(sealed.access(undefined))).rejects.toThrow(
      "head is sealed: set APPVARS_SEAL_KEY",
    );
    await expect(sealed.open(SECOND)).rejects.toThrow(WRONG_KEY);
    const plain = await start(undefined);
    await expect(plain.open(FIRST)).rejects.toThrow(NOT_SEALED);
  });

  it("parts that were swapped, or are of an earlier store, are refused", async () => {
    const { prefix, open, read, put } = await start(FIRST);
    const store = await open();
    await store.update((data) => set(data, { BIG }));
    const good = await read();
    const ids = Object.keys(good).flatMap((key) =>
      String(good[key]) === "snapshot" ? [key.split("/")[1] ?? ""] : [],
    );
    const upload = ids.find((id) => good[partKey(id, 1)]) ?? "";
    const [one, other] = [partKey(upload, 0), partKey(upload, 1)];
    await put({ [one]: good[other], [other]: good[one] });
    await expect(open()).rejects.toThrow(`${one} ${TAMPERED}`);
    await put({ [one]: good[one], [other]: undefined });
    await expect(open()).rejects.toThrow("head names parts or entries that are missing");

    // The same key of the same prefix, with the same sealing key.
    await put(Object.fromEntries(Object.keys(good).map((key) => [key, undefined])));
    const next = await start(FIRST, DATA, prefix);
    const [part = ""] = Object.keys(await read()).filter((key) => key.startsWith("parts/"));
    const owner = { store: newId(), write: part.split("/")[1] ?? "", key: `${prefix}/${part}` };
    await put({ [part]: new Sealing(FIRST).seal(Buffer.from("x"), owner) });
    await expect(next.open()).rejects.toThrow(`${part} ${OTHER_OWNER}`);
  });

  it.each([
    "an old head",
    "an unsealed head",
    "an old entry",
    "an entry of another timeline",
    "an entry of another store",
  ])("the last good data stays when %s was put there without the key", async (what) => {
    const { prefix, access, open, read, put } = await start(FIRST);
    const [store, before] = [await open(), await read()];
    await store.update(increment);
    // The cluster is restored from a backup of that moment, and goes on.
    const timeline = await read();
    await put({ head: before["head"], [logKey(2)]: undefined });
    await (await open()).update((data) => set(data, { PORT: 4000 }));
    // A comparison would not read old entries again.
    const following = await openEtcd(access(FIRST), { watch: true, times: { poll: 3_600_000 } });
    await (await open()).update(increment);
    const good = await read();

    const other = await start(FIRST);
    await (await other.open()).update(increment);
    const plain = nextOf(storeOf(DATA), []);
    const stranger = { store: newId(), write: newId(), key: `${prefix}/${logKey(2)}` };
    const foreign = new Sealing(FIRST).seal(
      Buffer.from(JSON.stringify(plain.entry.json)),
      stranger,
    );
    const faults: Record<string, [Record<string, Buffer | string | undefined>, string]> = {
      "an old head": [
        { head: timeline["head"] },
        "head is older than the log: somebody restored it",
      ],
      "an unsealed head": [{ head: JSON.stringify(plain.head.json) }, `head ${NOT_SEALED}`],
      "an old entry": [
        { [logKey(2)]: (await other.read())[logKey(2)] },
        `${logKey(2)} ${TAMPERED}`,
      ],
      "an entry of another timeline": [
        { [logKey(2)]: timeline[logKey(2)] },
        "does not follow the write before it",
      ],
      "an entry of another store": [{ [logKey(2)]: foreign }, `${logKey(2)} ${OTHER_OWNER}`],
    };
    const [change, problem] = faults[what] as (typeof faults)[string];
    await expect.poll(() => contents(following)["PORT"]).toBe(4001);
    await put(change);
    following.reload();
    await expect.poll(() => following.problem).toContain(problem);
    expect(contents(following)["PORT"]).toBe(4001);
    await expect(open()).rejects.toThrow(problem);

    await put({ head: good["head"], [logKey(2)]: good[logKey(2)] });
    following.reload();
    await expect.poll(() => following.problem).toBeUndefined();
    await (await open()).update(increment);
    await expect.poll(() => contents(following)["PORT"]).toBe(4002);
  });

  it("a store is sealed, and again with another key, while others follow it and write", async () => {
    const { access, open, read } = await start(undefined);
    await (await openEtcdStore(access(undefined))).update(increment);
    await resealAll(access(FIRST));
    expect((await openEtcdStore(access(FIRST))).data).toMatchObject({
      environments: DATA.environments,
    });
    const rotated = `${SECOND}\n${FIRST}`;
    const [watching, writer] = [await open(rotated, { watch: true }), await open(rotated)];
    await writer.update(increment);
    await resealAll(access(rotated));
    await writer.update(increment);
    await expect.poll(() => contents(watching)["PORT"]).toBe(3003);
    expect(watching.problem).toBeUndefined();
    expect((await open(SECOND)).data).toEqual(writer.data);
    await expect(open(FIRST)).rejects.toThrow(WRONG_KEY);
    // Nothing is left that another key can open, or none.
    const values = Object.entries(await read()).filter(([key]) => !key.startsWith("uploads/"));
    for (const [key, value] of values)
      new Sealing(SECOND).open(value, `${access(SECOND).address.prefix}${key}`);
  });
});
