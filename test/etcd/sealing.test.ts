import { describe, expect, it, onTestFinished } from "vitest";
import { UsageError } from "../../src/domain/errors.js";
import { createEtcdStore, openEtcdStore, type StoreAccess, sealAgain } from "../../src/etcd/open-store.js";
import { createSealing, PLAIN } from "../../src/etcd/sealing.js";
import { MARKER, marked } from "../store/broken-data.js";
import { DATA } from "../support/data.js";
import { contents, increment, set } from "../support/edits.js";
import { sharedEtcd } from "../support/etcd.js";
import { putByHand, readByHand, recordsOf } from "../support/etcd-records.js";
import { needs } from "../support/needed-program.js";

const [FIRST, SECOND] = ["first-key-0123456789abcdef0123456789", "second-key-0123456789abcdef01234567"];
const KEY = "/s/values/1";
const WRONG_KEY = "is sealed with a key that is not in the file of --store-key-file";
const TAMPERED = "can't be opened: it was changed, or moved from another key";
const NOT_SEALED = "is not sealed: the store has not been sealed yet, or somebody without the key has written it";

describe("sealing", () => {
  it.each(["", "text", "é💾\u0000", "x".repeat(100_000)])("a sealed text can be opened, and shows nothing", (text) => {
    const sealing = createSealing(FIRST);
    const sealed = sealing.seal(text, KEY);
    expect(sealing.open(sealed, KEY)).toBe(text);
    if (text.length > 3) expect(sealed.includes(text)).toBe(false);
    // Nobody can tell whether two are the same.
    expect(sealing.seal(text, KEY)).not.toEqual(sealed);
    expect(sealing.isCurrent(sealed)).toBe(true);
  });

  it("the first key seals, and all open", () => {
    const sealed = createSealing(FIRST).seal("text", KEY);
    const rotated = createSealing(`${SECOND}\n${FIRST}\n`);
    expect(rotated.open(sealed, KEY)).toBe("text");
    expect(rotated.isCurrent(sealed)).toBe(false);
    const next = rotated.seal("text", KEY);
    expect(rotated.isCurrent(next)).toBe(true);
    expect(createSealing(SECOND).open(next, KEY)).toBe("text");
    expect(() => createSealing(FIRST).open(next, KEY)).toThrow(WRONG_KEY);
  });

  it("what was moved to another key or prefix can't be opened", () => {
    const sealing = createSealing(FIRST);
    const sealed = sealing.seal("text", KEY);
    for (const key of ["/s/values/2", "/t/values/1", ""]) expect(() => sealing.open(sealed, key)).toThrow(TAMPERED);
  });

  it("what was changed anywhere can't be opened", () => {
    const sealing = createSealing(FIRST);
    const sealed = sealing.seal("text", KEY);
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealing.open(changed, KEY)).toThrow(index < 4 ? NOT_SEALED : index < 12 ? WRONG_KEY : TAMPERED);
      expect(() => sealing.open(sealed.subarray(0, index), KEY)).toThrow(index < 12 ? NOT_SEALED : TAMPERED);
    }
    expect(() => sealing.open(Buffer.concat([sealed, Buffer.alloc(1)]), KEY)).toThrow(TAMPERED);
  });

  it("plain text is refused with a key, unless it is allowed, and sealed text without one", () => {
    const plain = PLAIN.seal("text", KEY);
    expect(() => createSealing(FIRST).open(plain, KEY)).toThrow(NOT_SEALED);
    const allowing = createSealing(FIRST, { allowsPlain: true });
    expect(allowing.open(plain, KEY)).toBe("text");
    expect(allowing.isCurrent(plain)).toBe(false);
    expect(() => PLAIN.open(allowing.seal("text", KEY), KEY)).toThrow("is sealed: to read it, use --store-key-file");
    expect(() => PLAIN.open(Buffer.from([0xc3]), KEY)).toThrow("is not valid UTF-8");
  });

  const KEY_RULE =
    "--store-key-file: each line must be a key of 32 or more characters without spaces, such as the output of: " +
    "openssl rand -hex 32";
  it.each([
    ["", "--store-key-file: there is no key in it"],
    ["\n \r\n", "--store-key-file: there is no key in it"],
    [MARKER, KEY_RULE],
    [`${FIRST}\n${MARKER}`, KEY_RULE],
    [`${MARKER} ${"x".repeat(32)}`, KEY_RULE],
    [`${FIRST}\t`, KEY_RULE],
  ])("the key file %j is refused", (content, message) => {
    expect(() => createSealing(content)).toThrow(new UsageError(message));
  });

  it("the key file may have the line ends of Windows, and empty lines", () => {
    const sealed = createSealing(SECOND).seal("text", KEY);
    expect(createSealing(`${FIRST}\r\n\r\n${SECOND}\r\n`).open(sealed, KEY)).toBe("text");
  });
});

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
