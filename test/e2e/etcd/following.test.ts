import { rm } from "node:fs/promises";
import { describe, expect, it, vi } from "vitest";
import { InvalidDataError } from "../../../src/domain/errors.js";
import { Gateway, type GatewayOptions } from "../../../src/etcd/gateway.js";
import type { Data } from "../../../src/store/data.js";
import { parseData } from "../../../src/store/parse-data.js";
import { MARKER } from "../../store/broken-data.js";
import { edited } from "../../support/data.js";
import { contents, increment, set } from "../../support/edits.js";
import { type EtcdCluster, sharedEtcd, startEtcd } from "../../support/etcd.js";
import { putByHand, readByHand, recordsOf, type Texts } from "../../support/etcd-records.js";
import { gate, gatewayWith, openEtcd, type TestStoreOptions } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";
import { tcpProxy } from "../../support/tcp-proxy.js";

const HOUR_MS = 3_600_000;

/** The records of the data with this number as PORT. */
const withPort = (port: number, write = "by-hand") =>
  recordsOf(
    edited(({ values }) => (values[0].content.value = port)),
    write,
  );
const portRecord = (port: unknown) => ({
  "values/12": JSON.stringify({ id: 12, variable_id: 2, environment_id: 1, content: { value: port } }),
});
const ports = ({ snapshot }: { snapshot: Data }) => contents({ snapshot })["PORT"];

/** A store in an etcd. @param links ports that lead to it; by default its own */
async function start(etcd: EtcdCluster, texts: Texts = withPort(3000)) {
  const prefix = etcd.newPrefix();
  await putByHand(etcd, prefix, texts);
  return {
    prefix,
    open: (options: TestStoreOptions = {}, links?: number[]) =>
      openEtcd(etcd.access(etcd.storeUrl(prefix, links)), options),
    put: (changed: Parameters<typeof putByHand>[2]) => putByHand(etcd, prefix, changed),
    read: () => readByHand(etcd, prefix),
  };
}

const watch = true;

describe("a link that fails", needs("etcd"), () => {
  const etcd = sharedEtcd();
  const port = () => etcd().members[0]?.port ?? 0;

  it.each([
    ["cut", true],
    ["a black hole", false],
  ])("a store shows the newest data after its link was %s, and gives its age meanwhile", async (_what, isCut) => {
    const link = await tcpProxy(port());
    const { open } = await start(etcd());
    const times = { attempt: 200, pollRequest: 200 };
    const [store, writer] = [await open({ watch, times }, [link.port]), await open()];
    const told: (string | undefined)[] = [];
    store.subscribe(() => told.push(store.problem));
    await expect.poll(() => store.age).toBeLessThan(500);

    if (isCut) await link.cut();
    else link.blackhole();
    await writer.update(increment);
    await expect
      .poll(() => store.problem)
      .toMatch(/^the store can't be read: no member .*; the last good data is served$/);
    await expect.poll(() => store.age).toBeGreaterThan(500);
    expect(ports(store)).toBe(3000);
    // Not for each attempt that failed.
    expect(told).toHaveLength(1);

    await link.heal();
    await expect.poll(() => ports(store)).toBe(3001);
    await expect.poll(() => store.problem).toBeUndefined();
    await expect.poll(() => store.age).toBeLessThan(500);
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3002);
  });

  it("a store goes to another endpoint while one is a black hole", async () => {
    const links = [await tcpProxy(port()), await tcpProxy(port())];
    const { open } = await start(etcd());
    const times = { attempt: 200 };
    const store = await open(
      { watch, times },
      links.map(({ port }) => port),
    );
    const writer = await open({ times }, links.map(({ port }) => port).toReversed());
    links[0]?.blackhole();
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3001);
    await links[0]?.heal();
    links[1]?.blackhole();
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3002);
    await expect.poll(() => store.problem).toBeUndefined();
  });

  it("a store shows the newest data if the history was discarded while its link was cut", async () => {
    const link = await tcpProxy(port());
    const { open } = await start(etcd());
    const [store, writer] = [await open({ watch }, [link.port]), await open()];
    await link.cut();
    await expect.poll(() => store.problem).toBeDefined();
    for (let writes = 0; writes < 3; writes++) await writer.update(increment);
    await etcd().compact();
    await link.heal();
    await expect.poll(() => ports(store)).toBe(3003);
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3004);
    expect(store.problem).toBeUndefined();
  });
});

describe("a member that fails", needs("etcd"), () => {
  it("a store shows the newest data after the member was paused, and after it was killed", async () => {
    const etcd = await startEtcd();
    const [member] = etcd.members;
    const { open } = await start(etcd);
    const times = { attempt: 200, pollRequest: 200 };
    const [store, writer] = [await open({ watch, times }), await open()];
    member?.process.pause();
    await expect.poll(() => store.problem).toBeDefined();
    member?.process.resume();
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3001);

    await member?.process.kill();
    await expect.poll(() => store.problem).toBeDefined();
    await member?.process.start();
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3002);
    await expect.poll(() => store.problem).toBeUndefined();
  });

  /** With another number as PORT, and fewer records. */
  const otherData = (write: string) =>
    recordsOf(
      edited(({ values }) => {
        values[0].content.value = 2;
        values.pop();
      }),
      write,
    );

  /** Revisions of the head before and afterwards, and how many others there are. */
  it.each([
    ["an earlier head", 5, 1, 0, 100],
    ["an earlier head at a later revision", 5, 1, 10, 100],
    ["a head at the same revision", 3, 3, 0, 100],
    // Without comparisons, since the watch could be faster.
    ["a later head", 2, 8, 0, HOUR_MS],
    ["no head yet", 3, 0, 0, 100],
  ])(
    "a store shows the data of a cluster that was set up again with the same id, with %s",
    async (_head, before, after, more, poll) => {
      const etcd = await startEtcd();
      const [member] = etcd.members;
      const store = await start(etcd, withPort(1, "old"));
      for (let writes = 1; writes < before; writes++) await store.put(withPort(1, `old-${writes}`));
      const link = await tcpProxy(member?.port ?? 0);
      const watching = await store.open({ watch, times: { attempt: 200, pollRequest: 200, poll } }, [link.port]);
      const seen = new Set<unknown>();
      watching.subscribe(() => seen.add(JSON.stringify(contents(watching))));

      // It sees no change in between.
      await link.cut();
      await member?.process.kill();
      await rm(member?.folder ?? "", { recursive: true });
      await member?.process.start();
      for (let writes = 0; writes < after; writes++) await store.put(otherData(`new-${writes}`));
      for (let writes = 0; writes < more; writes++) await etcd.call("kv/put", { key: "AA==", value: "AA==" });
      await link.heal();
      if (after === 0) {
        await expect.poll(() => watching.problem).toContain("holds no data");
        await store.put(otherData("new"));
      }
      await expect.poll(() => ports(watching)).toBe(2);
      await expect.poll(() => watching.problem).toBeUndefined();
      const expected = (await store.open()).snapshot;
      expect(watching.snapshot).toEqual(expected);
      // Never some of both.
      expect(seen.size).toBeLessThanOrEqual(2);
      await store.put(withPort(3, "newest"));
      await expect.poll(() => ports(watching)).toBe(3);
    },
  );
});

describe("data that is changed by hand", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("a record that is changed without the head is seen through the watch", async () => {
    const { open, put } = await start(etcd());
    const store = await open({ watch, times: { poll: HOUR_MS } });
    await put(portRecord(4000));
    await expect.poll(() => ports(store)).toBe(4000);
    await put({ "values/12": undefined });
    await expect.poll(() => contents(store)).not.toHaveProperty("PORT");
  });

  it("a record that is changed without the head is seen by the next watch if one says nothing", async () => {
    let watches = 0;
    class DeafGateway extends Gateway {
      override async *watch(...args: Parameters<Gateway["watch"]>) {
        for await (const changes of super.watch(...args)) if (watches++ > 0) yield changes;
      }
    }
    const { open, put } = await start(etcd());
    const gatewayTo = (options: GatewayOptions) => new DeafGateway(options);
    const store = await open({ watch, times: { watch: 300 }, gatewayTo });
    await expect.poll(() => watches).toBeGreaterThan(0);
    await put(portRecord(4000));
    await expect.poll(() => ports(store)).toBe(4000);
  });

  it.each<[string, Parameters<typeof putByHand>[2], RegExp]>([
    ["breaks a rule", portRecord(MARKER), /values\[\d\] \(id 12\): content.value must be a NUMBER/],
    ["is not JSON", { "values/12": `{"${MARKER}` }, /etcd:\/\/\S+: \/tests\/\d+\/values\/12 is not valid JSON/],
    [
      "has another id",
      { "values/12": `{"id":13,"a":"${MARKER}"}` },
      /values\/12 is not a record with the id of its key/,
    ],
    [
      "is two records",
      { "values/12": `{"id":12},{"id":${MARKER}}` },
      /etcd:\/\/\S+: \/tests\/\d+\/values\/12 is not valid JSON/,
    ],
    ["is a list", { "values/12": `[{"id":12,"a":"${MARKER}"}]` }, /values\/12 is not a record with the id/],
    ["has its id twice", { "values/12": `{"id":13,"${MARKER}":1,"id":12}` }, /the same key twice/],
    ["is not UTF-8", { "values/12": Buffer.from([0xff, 0xfe]) }, /values\/12 is not valid UTF-8/],
    ["is sealed", { "values/12": Buffer.from(`\u0001avs12345678${MARKER}`) }, /values\/12 is sealed: to read it, use/],
    ["has a key outside the layout", { "values/012": "{}" }, /values\/012 is not the key of a record/],
    ["is a store in the store", { "more/head": "{}" }, /more\/head is not the key of a record/],
    ["is a head that is not JSON", { head: MARKER }, /head is not valid JSON/],
    [
      "is a head of another format",
      { head: `{"format":2,"a":"${MARKER}"}` },
      /head has the format 2; this appvars reads/,
    ],
    ["is a head that breaks a rule", { head: `{"format":1,"write":"${MARKER}"}` }, /head breaks a rule/],
  ])("the last good data stays while a record %s, and the problem ends with it", async (_what, change, problem) => {
    const { open, put, read } = await start(etcd());
    const good = await read();
    const store = await open({ watch });
    // Together with a good one, which is not shown alone.
    await put({ ...portRecord(4000), ...change });
    await expect.poll(() => store.problem).toMatch(problem);
    expect(store.problem).not.toContain(MARKER);
    expect(store.problem).toMatch(/^the store can't be read: .*; the last good data is served$/);
    expect(ports(store)).toBe(3000);
    const error: Error = await open().catch((caught) => caught);
    expect(error).toBeInstanceOf(InvalidDataError);
    expect(error.message).toMatch(problem);
    expect(error.message).not.toContain(MARKER);
    // An update could lose unknown data.
    const invalid = await read();
    await expect(store.update(increment)).rejects.toThrow(problem);
    expect(await read()).toEqual(invalid);

    const mended = Object.fromEntries(Object.keys(change).map((key) => [key, good[key]]));
    await put({ ...mended, ...portRecord(5000) });
    await expect.poll(() => ports(store)).toBe(5000);
    await expect.poll(() => store.problem).toBeUndefined();
    await store.update(increment);
    expect(ports(await open())).toBe(5001);
  });

  it("the last good data stays while the head is missing", async () => {
    const { open, put } = await start(etcd());
    const store = await open({ watch });
    await put({ head: undefined });
    await expect.poll(() => store.problem).toMatch(/head is missing, although there are records/);
    await expect(open()).rejects.toThrow(/head is missing, although there are records/);
    await expect(store.update(increment)).rejects.toThrow(/head is missing, although there are records/);
    expect(ports(store)).toBe(3000);
    await put(withPort(4000));
    await expect.poll(() => ports(store)).toBe(4000);
    await expect.poll(() => store.problem).toBeUndefined();
  });

  it("the last good data stays while there is none", async () => {
    const { open, put, read } = await start(etcd());
    const store = await open({ watch });
    await put(Object.fromEntries(Object.keys(await read()).map((key) => [key, undefined])));
    await expect.poll(() => store.problem).toContain("holds no data");
    expect(ports(store)).toBe(3000);
    await expect(store.update(increment)).rejects.toThrow("holds no data");
    expect(await read()).toEqual({});
    await put(withPort(4000));
    await expect.poll(() => ports(store)).toBe(4000);
    await expect.poll(() => store.problem).toBeUndefined();
  });

  it("a store reloads its data on request, and reports it", async () => {
    const { open, put } = await start(etcd());
    const store = await open({ watch, times: { poll: HOUR_MS } });
    await put({ "values/12": "broken" });
    await expect.poll(() => store.problem).toBeDefined();
    const [listener, reloads] = [vi.fn(), vi.fn()];
    store.subscribe(listener);
    store.onReload(reloads);
    store.readAgain();
    // Although the problem is the same.
    await expect.poll(() => listener.mock.calls.length).toBe(1);
    expect(reloads).toHaveBeenLastCalledWith({ isRead: false, milliseconds: expect.any(Number) });
    await put(portRecord(4000));
    store.readAgain();
    await expect.poll(() => ports(store)).toBe(4000);
    expect(reloads).toHaveBeenLastCalledWith({ isRead: true, milliseconds: expect.any(Number) });
    expect(store.problem).toBeUndefined();
  });
});

describe("a watch that lags", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("a store never takes back its own writes", async () => {
    const { open } = await start(etcd());
    const { opened, open: catchUp } = gate();
    const store = await open({ watch, gatewayTo: gatewayWith({ beforeChanges: () => opened }) });
    const other = await open({ watch });
    const shown: unknown[] = [];
    store.subscribe(() => shown.push(ports(store)));
    for (let writes = 0; writes < 5; writes++) await store.update(increment);
    await expect.poll(() => ports(other)).toBe(3005);
    catchUp();
    await other.update((data) => set(data, { EMPTY: "last" }));
    await expect.poll(() => contents(store)["EMPTY"]).toBe("last");
    expect(shown).toEqual([...shown].sort());
  });

  it("a store has the changes that others made by hand while it wrote", async () => {
    const { open, put } = await start(etcd());
    const own = gate();
    const store = await open({
      watch,
      gatewayTo: gatewayWith({
        async beforeCommit() {
          await put(portRecord(4000));
          await expect.poll(() => ports(store)).toBe(4000);
        },
        beforeChanges: (changes) => (changes.some(({ key }) => key.endsWith("/head")) ? own.opened : undefined),
      }),
    });
    await store.update((data) => set(data, { EMPTY: "mine" }));
    own.open();
    expect(contents(store)).toMatchObject({ PORT: 4000, EMPTY: "mine" });
    expect((await open()).snapshot).toEqual(store.snapshot);
  });

  /** A store that parses nothing until it is released, and the keys it has received so far. */
  async function openHeld({ open }: Awaited<ReturnType<typeof start>>) {
    const { opened, open: release } = gate();
    let isFirst = true;
    const parse = vi.fn(async (bytes: Buffer) => {
      if (!isFirst) await opened;
      isFirst = false;
      return parseData(bytes);
    });
    const received: unknown[] = [];
    const gatewayTo = gatewayWith({ afterChanges: (changes) => received.push(...changes.map(({ key }) => key)) });
    const store = await open({ watch, parse, gatewayTo, times: { poll: HOUR_MS } });
    return { store, parse, received, release };
  }

  it("a change is based on the changes of others, although they are still being parsed", async () => {
    const started = await start(etcd());
    const { store, received, release } = await openHeld(started);
    const other = await started.open();
    await other.update(increment);
    await expect.poll(() => received).not.toEqual([]);
    const updating = store.update(increment);
    release();
    await updating;
    expect(ports(store)).toBe(3002);
    expect(ports(await started.open())).toBe(3002);
  });

  it("a store does not show half of a change that is invalid, while it still parses the one before", async () => {
    const started = await start(etcd());
    const { put } = started;
    const { store, parse, received, release } = await openHeld(started);
    const shown: unknown[] = [];
    store.subscribe(() => shown.push(ports(store)));
    await put(portRecord(1));
    await expect.poll(() => parse.mock.calls.length).toBe(2);
    await put(portRecord(2));
    await expect.poll(() => received).toHaveLength(2);
    await put({ ...portRecord(3), "values/99": "invalid" });
    await expect.poll(() => store.problem).toContain("values/99 is not valid JSON");
    release();
    await expect.poll(() => ports(store)).toBe(1);
    await put({ "values/99": undefined });
    store.readAgain();
    await expect.poll(() => ports(store)).toBe(3);
    // With the problem, without it, and mended.
    expect(shown).toEqual([3000, 1, 3]);
  });
});
