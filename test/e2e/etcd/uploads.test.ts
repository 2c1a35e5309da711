import { randomBytes } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { Gateway, type Transaction } from "../../../src/etcd/gateway.js";
import { type Head, logKey, partKey } from "../../../src/etcd/log.js";
import type { GatewayOptions } from "../../../src/etcd/member-client.js";
import type { Data, ValueRecord } from "../../../src/store/data.js";
import { isSameData } from "../../../src/store/history.js";
import type { Store } from "../../../src/store/store.js";
import { DATA } from "../../support/data.js";
import { contents, increment, set } from "../../support/edits.js";
import { type EtcdCluster, sharedEtcd, startEtcd } from "../../support/etcd.js";
import {
  idByHand,
  nextOf,
  putByHand,
  readByHand,
  storeOf,
  type Texts,
} from "../../support/etcd-records.js";
import {
  gate,
  gatewayWith,
  isAbout,
  openEtcd,
  type TestStoreOptions,
} from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";

/** Text that can't be packed: two parts, and a log that is long enough for a snapshot. */
const BIG = randomBytes(1_000_000).toString("base64");
/** Too large for an entry, and not long enough for a snapshot. */
const LARGE = randomBytes(225_000).toString("base64");
const setBig = (data: Data) => set(data, { BIG });
const setLarge = (data: Data) => set(data, { LARGE });

/** Without printing them. */
const isSame = (one: Pick<Store, "data">, other: Pick<Store, "data">) =>
  isSameData(one.data, other.data);

async function start(etcd: EtcdCluster, texts: Texts = storeOf(DATA)) {
  const prefix = etcd.newPrefix();
  await putByHand(etcd, prefix, texts);
  const read = () => readByHand(etcd, prefix);
  return {
    open: (options?: TestStoreOptions) => openEtcd(etcd.access(etcd.storeUrl(prefix)), options),
    /** Opens one that does something before each of its transactions. */
    openWith: (
      beforeCommit: (transaction: Transaction) => Promise<void> | void,
      options?: TestStoreOptions,
    ) =>
      openEtcd(etcd.access(etcd.storeUrl(prefix)), {
        ...options,
        gatewayTo: gatewayWith({ beforeCommit }),
      }),
    put: (changed: Parameters<typeof putByHand>[2]) => putByHand(etcd, prefix, changed),
    read,
    head: async (): Promise<Head> => JSON.parse((await read())["head"] ?? ""),
    /** The ids of writes that have parts, or a key that says what these belong to. */
    ids: async (kind: "parts" | "uploads") =>
      new Set(
        Object.keys(await read()).flatMap((key) =>
          key.startsWith(`${kind}/`) ? [key.split("/")[1] ?? ""] : [],
        ),
      ),
    /** Ends the leases of all uploads, as time does. */
    async endLeases() {
      const { leases } = (await etcd.call("lease/leases", {})) as { leases?: { ID: string }[] };
      // One of an earlier test may end by itself in between.
      const ended = (error: Error) => expect(error.message).toContain("requested lease not found");
      for (const { ID } of leases ?? []) await etcd.call("lease/revoke", { ID }).catch(ended);
    },
  };
}

/** Calls `work` for the first transaction about a key only. */
function once(part: string, work: () => Promise<void> | void) {
  let isDone = false;
  return async (transaction: Transaction) => {
    if (isDone || !isAbout(part, transaction)) return;
    isDone = true;
    await work();
  };
}

describe("a change that is too large for an entry", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("a large change is seen whole, or not at all", async () => {
    const store = await start(etcd());
    const [watching, seen] = [await store.open({ watch: true }), vi.fn()];
    watching.subscribe(() =>
      seen(Object.keys(contents(watching)).filter((name) => name.startsWith("V")).length),
    );
    const writer = await store.openWith(async () => expect((await store.head()).version).toBe(1));
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`V${index}`, "text".repeat(30)]),
    );
    await writer.update((data) => set(data, many));
    await expect.poll(() => seen.mock.calls).toEqual([[1_000]]);
    expect(isSame(watching, await store.open())).toBe(true);
  });

  it("parts are used again when another writer was faster, unless the changes are others then", async () => {
    for (const [other, claims] of [
      [(data: Data) => set(data, { EMPTY: "faster" }), 1],
      [increment, 2],
    ] as const) {
      const store = await start(etcd());
      const direct = await store.open();
      const [seen, first] = [vi.fn(), once("head", () => direct.update(other))];
      const writer = await store.openWith(async (transaction) => {
        const isClaim = transaction.puts?.some(({ lease }) => lease !== undefined);
        if (isClaim) seen();
        await first(transaction);
      });
      await writer.update((data) => increment(setLarge(data)));
      expect(seen).toHaveBeenCalledTimes(claims);
      expect(contents(await store.open())).toMatchObject({
        ...contents(direct),
        LARGE,
        PORT: 3000 + claims,
      });
      // Those of the first attempt were removed.
      expect((await store.ids("parts")).size).toBe(2);
    }
  });

  it("a writer that is never the fastest gives up, tells why, and leaves nothing", async () => {
    const store = await start(etcd());
    const direct = await store.open();
    const writer = await store.openWith(
      (one) => (isAbout("head", one) ? direct.update(increment) : undefined),
      {
        times: { write: 300 },
      },
    );
    await expect(writer.update((data) => increment(setLarge(data)))).rejects.toThrow(
      /^other writers were faster for \S+ m?s; nothing was changed$/,
    );
    expect(contents(await store.open())).not.toHaveProperty("LARGE");
    expect(await store.ids("uploads")).toEqual(new Set([idByHand("by-hand-data")]));
    expect(await store.ids("parts")).toEqual(new Set([idByHand("by-hand-data")]));
  });

  it("a writer that others were faster than for two seconds goes first", async () => {
    const store = await start(etcd());
    const direct = await store.open();
    const others: Promise<void>[] = [];
    let hasTurn = false;
    const writer = await store.openWith(async (transaction) => {
      hasTurn ||= isAbout("turn", transaction);
      if (!isAbout("head", transaction)) return;
      const other = direct.update(increment);
      others.push(other);
      // From then on, the other has to wait.
      if (!hasTurn) await other;
    });
    await writer.update(increment);
    await Promise.all(others);
    expect(hasTurn).toBe(true);
    expect(contents(await store.open())["PORT"]).toBe(3001 + others.length);
    expect(await store.read()).not.toHaveProperty("turn");
  });

  it("a writer keeps its lease for as long as it needs", async () => {
    const store = await start(etcd());
    const kept = gate();
    let times = 0;
    class SlowGateway extends Gateway {
      override async keepLease(id: string) {
        await super.keepLease(id);
        if (++times === 8) kept.open();
      }
      override async commit(...args: Parameters<Gateway["commit"]>) {
        if (isAbout("head", args[0])) await kept.opened;
        return super.commit(...args);
      }
    }
    const gatewayTo = (options: GatewayOptions) => new SlowGateway(options);
    // It is kept every quarter of a second.
    const writer = await store.open({ gatewayTo, times: { lease: 1_000 } });
    const claims = vi.spyOn(SlowGateway.prototype, "grantLease");
    await writer.update(setLarge);
    expect(claims).toHaveBeenCalledTimes(1);
    expect(contents(await store.open())).toMatchObject({ LARGE });
  });

  // Before its first part, and before it counts.
  it.each(["parts/", "head"])("a writer whose lease is gone starts again: %s", async (moment) => {
    const store = await start(etcd());
    const cleaner = await store.open();
    const writer = await store.openWith(
      once(moment, async () => {
        await store.endLeases();
        await cleaner.prune(10);
        expect(await store.ids("parts")).toEqual(new Set([idByHand("by-hand-data")]));
      }),
    );
    await writer.update((data) => increment(setLarge(data)));
    expect(contents(await store.open())).toMatchObject({ LARGE, PORT: 3001 });
    await writer.update(increment);
    expect(contents(await store.open())).toMatchObject({ LARGE, PORT: 3002 });
  });

  it("a writer that was killed leaves parts that count for nothing, and that go once its lease has", async () => {
    const store = await start(etcd(), storeOf(DATA, "by-hand", 98));
    const [dead, idle] = [gate(), await store.open()];
    const killed = await store.openWith((transaction) =>
      isAbout("head", transaction) ? dead.opened : undefined,
    );
    const updating = killed.update(setLarge).catch(() => "killed");
    const left = () =>
      store.ids("parts").then((ids) => [...ids].filter((id) => id !== idByHand("by-hand-data")));
    await expect.poll(async () => (await left()).length).toBe(1);
    await idle.prune(10);
    expect(await left()).toHaveLength(1);
    const writer = await store.open();
    await writer.update(increment);
    await store.endLeases();
    expect(await left()).toHaveLength(1);
    // Every hundredth write removes them.
    await writer.update(increment);
    expect(await left()).toEqual([]);
    expect(contents(await store.open())).toEqual({ ...contents({ data: DATA }), PORT: 3002 });
    dead.open();
    await killed.close();
    await updating;
  });
});

describe("a snapshot", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("is made when the log is long, and read in place of the log before it", async () => {
    const store = await start(etcd());
    const [watching, writer] = [await store.open({ watch: true }), await store.open()];
    await writer.update(increment);
    expect((await store.head()).snapshot.version).toBe(1);
    await writer.update(setBig);
    const { version, snapshot, previous } = await store.head();
    expect([version, snapshot.version, previous?.version]).toEqual([3, 3, 1]);
    // The log begins again.
    await writer.update(increment);
    expect((await store.head()).snapshot).toEqual(snapshot);
    await store.put({ [logKey(2)]: undefined, [logKey(3)]: undefined });
    expect(isSame(await store.open(), writer)).toBe(true);
    await expect.poll(() => isSame(watching, writer)).toBe(true);
    await (await store.open()).update(increment);
    expect((await store.head()).snapshot).toEqual(snapshot);
  });

  it("the snapshot before the last one is kept for slow readers, and those before it are removed", async () => {
    const store = await start(etcd());
    const writer = await store.open();
    const uploads = [(await store.head()).snapshot.upload];
    for (const letter of ["a", "b", "c"]) {
      await writer.update((data) => set(data, { BIG: letter.repeat(600_000) }));
      const { snapshot, previous } = await store.head();
      expect(previous?.upload).toBe(uploads.at(-1));
      uploads.push(snapshot.upload);
      const ids = await store.ids("parts");
      expect(uploads.filter((id) => ids.has(id))).toEqual(uploads.slice(-2));
    }
    expect(isSame(await store.open(), writer)).toBe(true);
  });

  // The first one leaves the parts that it reads.
  it.each([
    [1, 3_000],
    [2, 3_002],
  ])("a reader finishes although %d snapshots are made while it reads", async (count, port) => {
    const store = await start(etcd());
    const writer = await store.open();
    let isFirst = true;
    // After the head, and before the parts.
    const afterRange = async () => {
      if (!isFirst) return;
      isFirst = false;
      for (let made = 0; made < count; made++)
        await writer.update((data) => increment(set(data, { BIG: `${made}`.repeat(600_000) })));
    };
    const reader = await store.open({ gatewayTo: gatewayWith({ afterRange }) });
    expect(isFirst).toBe(false);
    expect(contents(reader)["PORT"]).toBe(port);
  });

  // It claims an upload, writes two parts, replaces the head, ends the upload, and removes what is
  // not needed.
  it.each([1, 2, 3, 4, 5, 6])("that fails at its step %d loses nothing", async (step) => {
    const store = await start(etcd());
    const broken = vi.fn(() => {
      throw new Error("broken");
    });
    let steps = 0;
    const writer = await store.openWith((transaction) => {
      if (steps > 0 || isAbout("log/", transaction)) steps++;
      if (steps > step) broken();
    });
    await writer.update(setBig);
    expect(broken).toHaveBeenCalled();
    expect(contents(writer)["BIG"] === BIG).toBe(true);
    const next = await store.open();
    expect(isSame(next, writer)).toBe(true);
    // Each tenth write makes a snapshot if one is due.
    for (let writes = 0; writes < 10; writes++) await next.update(increment);
    expect((await store.head()).snapshot.version).toBeGreaterThan(1);
    expect(isSame(await store.open(), next)).toBe(true);
  });
});

describe("the history of a store", needs("etcd"), () => {
  const etcd = sharedEtcd();

  /** An entry with parts, of which only the keys matter. */
  const oldEntry = (version: number) => {
    const write = idByHand(`old-${version}`);
    return {
      [logKey(version)]: "{}",
      [partKey(write, 0)]: "x",
      [`uploads/${write}`]: `${version}`,
    };
  };
  const versions = async ({ read }: Awaited<ReturnType<typeof start>>) =>
    Object.keys(await read()).flatMap((key) =>
      key.startsWith("log/") ? [Number(key.slice(4))] : [],
    );

  it("entries before the last 10,000 are removed, their parts first", async () => {
    const old = [1, 99, 100, 101].map(oldEntry);
    const store = await start(etcd(), Object.assign({}, storeOf(DATA, "by-hand", 10_098), ...old));
    const deleted: string[] = [];
    const writer = await store.openWith(({ deletes = [] }) => {
      deleted.push(...deletes.map(({ key }) => key.split("/")[0] ?? ""));
    });
    await writer.update(increment);
    expect(await versions(store)).toEqual([1, 99, 100, 101, 10_098, 10_099]);
    await writer.update(increment);
    expect(await versions(store)).toEqual([101, 10_098, 10_099, 10_100]);
    const kept = new Set(["by-hand-data", "old-101"].map(idByHand));
    expect([await store.ids("parts"), await store.ids("uploads")]).toEqual([kept, kept]);
    expect(deleted).toEqual([...Array(3).fill(["parts", "uploads"]).flat(), "log"]);
    expect(isSame(await store.open(), writer)).toBe(true);
  });

  it("a log of several answers is read whole, as data and as history", async () => {
    const store = await start(etcd());
    const [writer, watching] = [await store.open(), await store.open({ watch: true })];
    const WRITES = 205;
    for (let writes = 0; writes < WRITES; writes++) await writer.update(increment);
    const reader = await store.open();
    expect(contents(reader)["PORT"]).toBe(3000 + WRITES);
    const seen: (readonly [number, unknown])[] = [];
    for await (const { id, changes } of (await reader.history()).writes)
      for (const { after } of changes)
        seen.push([id, (after as ValueRecord | null)?.content.value]);
    // The first data is version 1.
    expect(seen).toEqual(
      Array.from({ length: WRITES }, (_, back) => [WRITES + 1 - back, 3000 + WRITES - back]),
    );
    await expect.poll(() => contents(watching)["PORT"]).toBe(3000 + WRITES);
  });

  it("the history has no entry before a cut of the log, which does not lead to the data", async () => {
    // Of another timeline: the cluster was restored, say.
    const other = nextOf(storeOf(DATA, "other", 3), [
      { list: "variables", before: null, after: DATA.variables[0] },
    ]);
    const { key, json } = other.entry;
    const store = await start(etcd(), {
      ...storeOf(DATA, "by-hand", 5),
      [key]: JSON.stringify(json),
    });
    const writer = await store.open();
    await writer.update(increment);
    const ids: number[] = [];
    for await (const { id } of (await writer.history()).writes) ids.push(id);
    expect(ids).toEqual([6]);
  });

  it("prune keeps as many entries as it is told to, and those after the snapshot in any case", async () => {
    const store = await start(etcd());
    const writer = await store.open();
    for (let writes = 0; writes < 3; writes++) await writer.update(increment);
    await writer.update(setBig);
    for (let writes = 0; writes < 3; writes++) await writer.update(increment);
    expect(await versions(store)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const [entries, expected] of [
      [100, [1, 2, 3, 4, 5, 6, 7, 8]],
      [6, [3, 4, 5, 6, 7, 8]],
      [0, [6, 7, 8]],
    ] as const) {
      await writer.prune(entries);
      expect(await versions(store)).toEqual(expected);
      const ids: number[] = [];
      for await (const { id } of (await writer.history()).writes) ids.unshift(id);
      // The first has no changes.
      expect(ids).toEqual(expected.filter((version) => version > 1));
      expect(isSame(await store.open(), writer)).toBe(true);
    }
    const { snapshot } = await store.head();
    expect(await store.ids("parts")).toEqual(new Set([snapshot.upload]));
  });

  it("prune works while etcd has no space, and writes do once it has", async () => {
    const own = await startEtcd();
    const store = await start(own, { ...storeOf(DATA, "by-hand", 9), ...oldEntry(1) });
    const [writer, alarm] = [await store.open(), { memberID: "1", alarm: "NOSPACE" }];
    await own.call("maintenance/alarm", { action: "ACTIVATE", ...alarm });
    for (const change of [increment, setLarge])
      await expect(writer.update(change)).rejects.toThrow(
        /etcdserver: mvcc: database space exceeded$/,
      );
    await writer.prune(0);
    expect(await versions(store)).toEqual([]);
    expect(await store.ids("parts")).toEqual(new Set([idByHand("by-hand-data")]));
    await own.call("maintenance/alarm", { action: "DEACTIVATE", ...alarm });
    await writer.update((data) => increment(setLarge(data)));
    expect(contents(await store.open())).toMatchObject({ LARGE, PORT: 3001 });
  });
});
