import { describe, expect, it } from "vitest";
import { commitChanges } from "../../../src/etcd/commit.js";
import type { Transaction } from "../../../src/etcd/gateway.js";
import { newHead, newWriteId } from "../../../src/etcd/head.js";
import { recordChanges, StoreRecords } from "../../../src/etcd/records.js";
import { type Data, withLastIds } from "../../../src/store/data.js";
import { checkData } from "../../../src/store/parse-data.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set } from "../../support/edits.js";
import { sharedEtcd } from "../../support/etcd.js";
import { putByHand, readByHand, recordsOf, type Texts } from "../../support/etcd-records.js";
import { etcdStore, gatewayWith, isAbout, openEtcd, type TestStoreOptions } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";

const MANY = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`V${index}`, `${index}`]));
const importMany = (data: Data) => set(data, MANY);
const DAY_MS = 86_400_000;

describe("a write with more changes than one transaction can have", needs("etcd"), () => {
  const etcd = sharedEtcd();

  async function start(texts: Texts = recordsOf(DATA)) {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, texts);
    const access = () => etcd().access(etcd().storeUrl(prefix));
    return {
      prefix,
      access,
      open: (options?: TestStoreOptions) => openEtcd(access(), options),
      read: () => readByHand(etcd(), prefix),
      put: (changed: Texts) => putByHand(etcd(), prefix, changed),
    };
  }

  type Started = Awaited<ReturnType<typeof start>>;

  /** Makes a change as a writer does that is killed right after the moment from which it counts. */
  async function writeAndDie({ access, prefix, read }: Started, change: (data: Data) => Data, clock = Date.now) {
    const { store, target } = etcdStore(access(), { clock });
    const { snapshot } = await store.open();
    const next = checkData(withLastIds(snapshot, change(snapshot)));
    const records = new StoreRecords(`${prefix}/`, target.sealing);
    const answer = await target.gateway.range({ key: `${prefix}/`, end: `${prefix}0` });
    records.apply(answer.entries);
    const changes = recordChanges(records, snapshot, next, next);
    const made = await commitChanges(target, records.headRevision, newHead(next, newWriteId()), changes);
    expect(made.succeeded).toBe(true);
    expect(JSON.parse((await read())["head"] ?? "")).toHaveProperty("pending");
    return next;
  }

  async function expectNothingPending({ read }: Started): Promise<void> {
    const { head, ...records } = await read();
    expect(JSON.parse(head ?? "")).not.toHaveProperty("pending");
    expect(Object.keys(records).filter((key) => key.startsWith("changes/"))).toEqual([]);
  }

  it("a pending write is seen at once, and finished by the next writer", async () => {
    const store = await start();
    const [watching, writer] = [await store.open({ watch: true }), await store.open()];
    const next = await writeAndDie(store, importMany);
    await expect.poll(() => contents(watching)).toMatchObject(MANY);
    expect((await store.open()).snapshot).toEqual(next);
    await writer.update(increment);
    expect(contents(writer)).toMatchObject({ ...MANY, PORT: 3001 });
    await expectNothingPending(store);
    await expect.poll(() => contents(watching)["PORT"]).toBe(3001);
    expect(watching.snapshot).toEqual(writer.snapshot);
    expect((await store.open()).snapshot).toEqual(writer.snapshot);
  });

  it("a pending write is finished once by several writers at the same time", async () => {
    const store = await start();
    const writers = [await store.open({ watch: true }), await store.open(), await store.open(), await store.open()];
    await writeAndDie(store, importMany);
    await Promise.all(writers.map((writer) => writer.update(increment)));
    const { snapshot } = await store.open();
    expect(contents({ snapshot })).toMatchObject({ ...MANY, PORT: 3004 });
    await expectNothingPending(store);
  });

  it("a pending write does not come back when a writer was killed while it finished", async () => {
    const store = await start();
    const dying = await store.open({ gatewayTo: gatewayWith({ beforeCommit: (transaction) => dieIn(transaction) }) });
    let moves = 0;
    const dieIn = (transaction: Transaction) => {
      if (isAbout("/values/", transaction) && moves++ === 1) throw new Error("killed");
    };
    await writeAndDie(store, (data) => importMany(set(data, { PORT: 1 })));
    await expect(dying.update(increment)).rejects.toThrow("killed");
    const writer = await store.open();
    expect(contents(writer)).toMatchObject({ ...MANY, PORT: 1 });
    await writer.update(increment);
    expect(contents(await store.open())).toMatchObject({ ...MANY, PORT: 2 });
    await expectNothingPending(store);
  });

  it("a writer that was stalled while it finished does nothing after others have written", async () => {
    const store = await start();
    await writeAndDie(store, (data) => importMany(set(data, { PORT: 10 })));
    const other = await store.open();
    let stalled = 0;
    // Other writers finish the pending write and go on, before the first of its transactions.
    const stall = async (transaction: Transaction) => {
      if (stalled++ > 0 || transaction.puts.length === 0) return;
      await other.update(increment);
      await other.update((data) => set(data, { EMPTY: "later", V0: "changed" }));
    };
    const stalling = await store.open({ gatewayTo: gatewayWith({ beforeCommit: stall }) });
    await stalling.update(increment);
    const { snapshot } = await store.open();
    expect(contents({ snapshot })).toMatchObject({ ...MANY, PORT: 12, EMPTY: "later", V0: "changed" });
    expect(stalling.snapshot).toEqual(snapshot);
  });

  it("a writer that is about to finish its own does not finish another's with it", async () => {
    const store = await start();
    let changes: Promise<unknown> | undefined;
    // Between its head and its next transaction, another writer finishes it, and leaves a pending write behind.
    const meanwhile = async (transaction: Transaction) => {
      const isHead = isAbout("/head", transaction);
      if (isHead && !changes) {
        changes = Promise.resolve();
        return;
      }
      if (!changes || isDone) return;
      isDone = true;
      const other = await store.open();
      await other.update(increment);
      await writeAndDie(store, (data) => Object.keys(MANY).reduce((next, name) => set(next, { [name]: "new" }), data));
      await expect.poll(() => contents(writer)["V0"]).toBe("new");
    };
    let isDone = false;
    const writer = await store.open({ watch: true, gatewayTo: gatewayWith({ beforeCommit: meanwhile }) });
    await writer.update(importMany);
    const renewed = Object.fromEntries(Object.keys(MANY).map((name) => [name, "new"]));
    for (const { snapshot } of [writer, await store.open()])
      expect(contents({ snapshot })).toMatchObject({ ...renewed, PORT: 3001 });
    await writer.update(increment);
    expect(contents(await store.open())).toMatchObject({ ...renewed, PORT: 3002 });
  });

  it("parts that nothing refers to are removed after a day", async () => {
    const now = Date.UTC(2030, 0, 1);
    const idOf = (time: number) => `${time.toString(36)}-killed`;
    const [old, young] = [`changes/${idOf(now - DAY_MS - 1)}/0`, `changes/${idOf(now - DAY_MS + 1)}/0`];
    const store = await start({ ...recordsOf(DATA), [old]: "[]", [young]: "[]" });
    const writer = await store.open({ clock: () => now });
    await writer.update(increment);
    expect(await store.read()).toHaveProperty([old]);
    await writer.update(importMany);
    const keys = Object.keys(await store.read()).filter((key) => key.startsWith("changes/"));
    expect(keys).toEqual([young]);
  });

  it("parts that the head refers to are not removed, even if the clocks of writers differ", async () => {
    const store = await start();
    let isFirst = true;
    // Its clock is years before that of the writer that is about to remove old parts.
    const meanwhile = async () => {
      if (!isFirst) return;
      isFirst = false;
      await writeAndDie(
        store,
        (data) => importMany(set(data, { EMPTY: "kept" })),
        () => 0,
      );
    };
    const writer = await store.open({ gatewayTo: gatewayWith({ beforeCommit: meanwhile }) });
    await writer.update((data) => increment(set(data, { ...MANY, V0: "last" })));
    expect(contents(await store.open())).toMatchObject({ ...MANY, V0: "last", EMPTY: "kept", PORT: 3001 });
  });

  it("a write whose parts were removed before it counts is made again", async () => {
    const store = await start();
    let heads = 0;
    const meanwhile = async (transaction: Transaction) => {
      if (!isAbout("/head", transaction) || heads++ > 0) return;
      const parts = Object.keys(await store.read()).filter((key) => key.startsWith("changes/"));
      expect(parts).toHaveLength(1);
      await putByHand(etcd(), store.prefix, Object.fromEntries(parts.map((key) => [key, undefined])));
    };
    const writer = await store.open({ gatewayTo: gatewayWith({ beforeCommit: meanwhile }) });
    await writer.update(importMany);
    expect(contents(await store.open())).toMatchObject(MANY);
    await expectNothingPending(store);
  });

  it("a part that is missing or broken is named, and nothing is written", async () => {
    for (const [change, message] of [
      [undefined, /head names changes\/\S+\/0, which is missing/],
      ["[", /head names a part that is not valid JSON/],
      ['[["values/1",{"id":2}]]', /head is not a record with the id of its key/],
      ['[["head",null]]', /head names a part that breaks a rule/],
      ['[["values/1",1]]', /head names a part that breaks a rule/],
      ["{}", /head names a part that is not valid JSON/],
    ] as const) {
      const store = await start();
      await writeAndDie(store, importMany);
      const [part = ""] = Object.keys(await store.read()).filter((key) => key.startsWith("changes/"));
      const before = await store.open();
      await putByHand(etcd(), store.prefix, { [part]: change });
      const broken = await store.read();
      await expect(store.open()).rejects.toThrow(message);
      expect(before.problem).toBeUndefined();
      expect(await store.read()).toEqual(broken);
    }
  });
});

describe("the size of records", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("a value of almost 1.4 MB is written and read", async () => {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, recordsOf(DATA));
    const access = { ...etcd().access(etcd().storeUrl(prefix)) };
    const [watching, writer] = [await openEtcd(access, { watch: true }), await openEtcd(access)];
    const large = { LARGE: "é".repeat(699_900), OTHER: "x".repeat(1_399_900) };
    await writer.update((data) => set(data, large));
    expect(contents(await openEtcd(access))).toMatchObject(large);
    await expect.poll(() => Object.keys(contents(watching))).toContain("OTHER");
    expect(contents(watching)).toMatchObject(large);
  });

  it("a value that is too large is refused before anything is written", async () => {
    const prefix = etcd().newPrefix();
    await putByHand(etcd(), prefix, recordsOf(DATA));
    const before = await readByHand(etcd(), prefix);
    const writer = await openEtcd(etcd().access(etcd().storeUrl(prefix)));
    // Each character takes six bytes in JSON.
    const large = "\u0001".repeat(233_400);
    await expect(writer.update((data) => set(data, { ...MANY, LARGE: large }))).rejects.toThrow(
      "the record values/140 is too large for etcd: it can have 1400000 bytes",
    );
    expect(await readByHand(etcd(), prefix)).toEqual(before);
    await writer.update(increment);
  });
});
