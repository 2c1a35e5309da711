import { rm } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { logKey, partKey } from "../../../src/etcd/log.js";
import { Sealing } from "../../../src/etcd/sealing.js";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { parseData } from "../../../src/store/schema/parse-data.js";
import type { Store } from "../../../src/store/store.js";
import { MARKER } from "../../store/broken-data.js";
import { edited } from "../../support/data.js";
import { contents, increment, set, unset } from "../../support/edits.js";
import { type EtcdCluster, sharedEtcd, startEtcd } from "../../support/etcd.js";
import {
  idByHand,
  nextOf,
  putByHand,
  readByHand,
  storeOf,
  type Texts,
} from "../../support/etcd-records.js";
import { gate, gatewayWith, openEtcd, type TestStoreOptions } from "../../support/etcd-store.js";
import { needs } from "../../support/needed-program.js";
import { tcpProxy } from "../../support/tcp-proxy.js";

const HOUR_MS = 3_600_000;
const watch = true;
/** A link that fails is noticed soon. */
const QUICKLY = { attempt: 200 };

const START = storeOf(edited(() => {}));
const ports = (store: Pick<Store, "data">) => contents(store)["PORT"];

/** A store in an etcd. */
async function start(etcd: EtcdCluster, texts: Texts = START) {
  const prefix = etcd.newPrefix();
  await putByHand(etcd, prefix, texts);
  return {
    /** @param links ports that lead to it; by default its own */
    open: (options: TestStoreOptions = {}, links?: number[]) =>
      openEtcd(etcd.access(etcd.storeUrl(prefix, links)), options),
    put: (changed: Parameters<typeof putByHand>[2]) => putByHand(etcd, prefix, changed),
    read: () => readByHand(etcd, prefix),
  };
}

describe("a link that fails", needs("etcd"), () => {
  const etcd = sharedEtcd();
  const port = () => etcd().members[0]?.port ?? 0;

  it.each([
    ["cut", true],
    ["a black hole", false],
  ])(
    "a store shows the newest data after its link was %s, and gives its age meanwhile",
    async (_what, isCut) => {
      const link = await tcpProxy(port());
      const { open } = await start(etcd());
      const [store, writer] = [await open({ watch, times: QUICKLY }, [link.port]), await open()];
      const told: (string | undefined)[] = [];
      store.subscribe(() => told.push(store.problem));
      await expect.poll(() => store.age).toBeLessThan(500);

      // A busy machine may have been late before.
      told.length = 0;
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
    },
  );

  it("a store goes to another endpoint while one is a black hole", async () => {
    const links = [await tcpProxy(port()), await tcpProxy(port())];
    const { open } = await start(etcd());
    const linkPorts = links.map(({ port }) => port);
    const store = await open({ watch, times: QUICKLY }, linkPorts);
    const writer = await open({ times: QUICKLY }, linkPorts.toReversed());
    links[0]?.blackhole();
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3001);
    await links[0]?.heal();
    links[1]?.blackhole();
    await writer.update(increment);
    await expect.poll(() => ports(store)).toBe(3002);
    await expect.poll(() => store.problem).toBeUndefined();
  });

  it("a store shows the newest data if the log and the history were removed while its link was cut", async () => {
    const link = await tcpProxy(port());
    const { open } = await start(etcd());
    const [store, writer] = [await open({ watch }, [link.port]), await open()];
    await link.cut();
    await expect.poll(() => store.problem).toBeDefined();
    for (let writes = 0; writes < 3; writes++) await writer.update(increment);
    await writer.resealAll(new Sealing());
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
    const [store, writer] = [await open({ watch, times: QUICKLY }), await open()];
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

  /** With a number as PORT, and fewer records. @param writes how many there were */
  const otherData = (port: number, writes: number, name = `other-${port}`) => {
    const change = edited(({ values }) => {
      values[0].content.value = port;
      values.pop();
    });
    return storeOf(change, `${name}-${writes}`, writes);
  };

  // How many writes there were before and are afterwards, how many other changes the cluster has,
  // and the comparisons.
  it.each([
    ["an earlier version", 5, 1, 0, 100],
    ["an earlier version at a later revision", 5, 1, 10, 100],
    ["another write of the same version", 3, 3, 0, 100],
    // The watch has to tell.
    ["a later version", 2, 8, 0, HOUR_MS],
    ["no data yet", 3, 0, 0, 100],
  ])(
    "a store shows the data of a cluster that was set up again with the same id, with %s",
    async (_head, before, after, more, poll) => {
      const etcd = await startEtcd();
      const [member] = etcd.members;
      const store = await start(etcd, {});
      for (let writes = 1; writes <= before; writes++) await store.put(otherData(1, writes));
      const link = await tcpProxy(member?.port ?? 0);
      const warn = vi.fn();
      const watching = await store.open({ watch, warn, times: { ...QUICKLY, poll } }, [link.port]);
      const seen = new Set<unknown>();
      watching.subscribe(() => seen.add(JSON.stringify(contents(watching))));

      // It sees no change in between.
      await link.cut();
      await member?.process.kill();
      await rm(member?.folder ?? "", { recursive: true });
      await member?.process.start();
      for (let writes = 1; writes <= after; writes++) await store.put(otherData(2, writes));
      for (let writes = 0; writes < more; writes++)
        await etcd.call("kv/put", { key: "AA==", value: "AA==" });
      await link.heal();
      if (after === 0) {
        await expect.poll(() => watching.problem).toContain("holds no data");
        await store.put(otherData(2, 1));
      }
      await expect.poll(() => ports(watching)).toBe(2);
      await expect.poll(() => watching.problem).toBeUndefined();
      expect(watching.data).toEqual((await store.open()).data);
      expect(warn.mock.calls).toEqual(
        before > after
          ? [
              [
                expect.stringMatching(
                  `^the store has gone back from write ${before} to ${Math.max(1, after)}: it was`,
                ),
              ],
            ]
          : [],
      );
      // Never some of both.
      expect(seen.size).toBeLessThanOrEqual(2);
      await (await store.open()).update((data) => set(data, { PORT: 3 }));
      await expect.poll(() => ports(watching)).toBe(3);
    },
  );
});

describe("a store that is broken", needs("etcd"), () => {
  const etcd = sharedEtcd();

  const portOf = (value: unknown) => ({
    id: 12,
    variable_id: 2,
    environment_id: 1,
    content: { value },
  });
  const change = (before: unknown, after: unknown) => [{ list: "values", before, after }];
  const [SECOND, PART] = [logKey(2), partKey(idByHand("next"), 0)];

  /** A write by hand that sets PORT. @param head and @param entry replace fields */
  const written = (
    value: unknown,
    { head = {}, entry = {} }: { head?: object; entry?: object } = {},
  ) => {
    const next = nextOf(START, change(portOf(3000), portOf(value)));
    return {
      head: JSON.stringify({ ...next.head.json, ...head }),
      [SECOND]: JSON.stringify({ ...next.entry.json, ...entry }),
    };
  };
  const entryOf = (changes: unknown, more = {}) => ({
    ...written(1, { entry: { changes } }),
    ...more,
  });
  const MISSING = /\/head names parts or entries that are missing/;
  const NOT_NEXT = /log\/0{15}2 does not follow the write before it/;

  it.each<[string, Record<string, string | Buffer | undefined>, RegExp]>([
    [
      "a head that is not JSON",
      { head: MARKER },
      /etcd:\/\/\S+: \/tests\/\d+\/head is not valid JSON/,
    ],
    ["a head that is not UTF-8", { head: Buffer.from([0xff, 0xfe]) }, /\/head is not valid UTF-8/],
    ["a head that is too large", { head: MARKER.repeat(300) }, /\/head is too large for a head/],
    [
      "a head of an earlier format",
      { head: `{"format":1,"a":"${MARKER}"}` },
      /has the format 1; this appvars reads/,
    ],
    [
      "a head of a later format",
      { head: `{"format":3,"a":"${MARKER}"}` },
      /has the format 3; this appvars reads/,
    ],
    ["a head with more fields", written(1, { head: { [MARKER]: 1 } }), /\/head breaks a rule/],
    [
      "a head that is sealed",
      { head: `\u0001av2${MARKER.repeat(9)}` },
      /\/head is sealed: set APPVARS_SEAL_KEY/,
    ],
    ["no head", { head: undefined }, /etcd:\/\/\S+ holds no data/],
    ["a head without its entry", { ...written(1), [SECOND]: undefined }, MISSING],
    [
      "an entry that is not JSON",
      { ...written(1), [SECOND]: `{"${MARKER}` },
      /log\/0{15}2 is not valid JSON/,
    ],
    [
      "an entry that is sealed",
      { ...written(1), [SECOND]: `\u0001av2${MARKER.repeat(9)}` },
      /2 is sealed: set APPVARS_SEAL_KEY/,
    ],
    [
      "an entry with more fields",
      written(1, { entry: { [MARKER]: 1 } }),
      /log\/0{15}2 breaks a rule/,
    ],
    ["an entry of another write", written(1, { entry: { write: idByHand(MARKER) } }), NOT_NEXT],
    [
      "an entry of another timeline",
      written(1, { entry: { previous: idByHand(MARKER) } }),
      NOT_NEXT,
    ],
    [
      "a change that breaks a rule",
      entryOf(change(null, { id: 99, [MARKER]: 1 })),
      /2 values\.variable_id is missing/,
    ],
    [
      "a change of an unknown record",
      entryOf(change(portOf(MARKER), portOf(1))),
      /2 changes values 12, which is not as/,
    ],
    ["an entry without its parts", entryOf(1), MISSING],
    ["an entry without its second part", entryOf(2, { [PART]: gzipSync("[]") }), MISSING],
    [
      "a part that is not packed",
      entryOf(1, { [PART]: MARKER }),
      /parts\/next_+\/000000 can't be unpacked/,
    ],
    [
      "a part that is cut off",
      entryOf(1, { [PART]: gzipSync(MARKER).subarray(0, 25) }),
      /can't be unpacked/,
    ],
    [
      "a part that is not JSON",
      entryOf(1, { [PART]: gzipSync(MARKER) }),
      /log\/0{15}2 is not valid JSON/,
    ],
    [
      "a part that breaks a rule",
      entryOf(1, { [PART]: gzipSync(`{"${MARKER}":1}`) }),
      /log\/0{15}2 breaks a rule/,
    ],
  ])(
    "the last good data stays while there is %s, and the problem ends with it",
    async (_what, broken, problem) => {
      const { open, put, read } = await start(etcd());
      const good = await read();
      const store = await open({ watch });
      await put(broken);
      await expect.poll(() => store.problem).toMatch(problem);
      expect(store.problem).not.toContain(MARKER);
      expect(store.problem).toMatch(/^the store can't be read: .*; the last good data is served$/);
      expect(ports(store)).toBe(3000);
      const error: Error = await open().catch((caught) => caught);
      expect(error).toBeInstanceOf(InvalidDataError);
      expect(error.message).toMatch(problem);
      expect(error.message).not.toContain(MARKER);
      // An update could lose unknown data.
      const before = await read();
      await expect(store.update(increment)).rejects.toThrow(problem);
      expect(await read()).toEqual(before);

      const mended = Object.fromEntries(Object.keys(broken).map((key) => [key, good[key]]));
      await put({ ...mended, ...written(5000) });
      await expect.poll(() => ports(store)).toBe(5000);
      await expect.poll(() => store.problem).toBeUndefined();
      await store.update(increment);
      expect(ports(await open())).toBe(5001);
    },
  );

  const [SNAPSHOT] = Object.keys(START).filter((key) => key.startsWith("parts/")) as [string];
  const twice = edited(({ values }) => values.push(values[0]));
  it.each<[string, string | Buffer | undefined, RegExp]>([
    ["missing", undefined, MISSING],
    ["junk", MARKER, /parts\/by-hand-data_+\/000000 can't be unpacked/],
    ["not a data file", gzipSync(MARKER), /is not valid JSON/],
    [
      "data that breaks a rule",
      gzipSync(JSON.stringify(twice)),
      /values\[9\] \(id 12\): has the same id/,
    ],
  ])("a snapshot that is %s is an error of new readers only", async (_what, part, problem) => {
    const { open, put } = await start(etcd());
    // A comparison would find nothing wrong.
    const store = await open({ watch, times: { poll: HOUR_MS } });
    await put({ [SNAPSHOT]: part });
    const error: Error = await open().catch((caught) => caught);
    expect(error).toBeInstanceOf(InvalidDataError);
    expect(error.message).toMatch(problem);
    expect(error.message).not.toContain(MARKER);
    store.reload();
    await expect.poll(() => store.problem).toMatch(problem);
    await store.update(increment);
    expect([store.problem, ports(store)]).toEqual([undefined, 3001]);
    await put({ [SNAPSHOT]: START[SNAPSHOT] });
    expect(ports(await open())).toBe(3001);
  });

  it("the last good data stays when an earlier head was put back", async () => {
    const { open, put, read } = await start(etcd());
    const store = await open({ watch });
    for (let writes = 0; writes < 3; writes++) await store.update(increment);
    const good = await read();
    await put({ head: START["head"] });
    const problem = /head is older than the log: somebody restored it/;
    await expect.poll(() => store.problem).toMatch(problem);
    expect(ports(store)).toBe(3003);
    await expect(open()).rejects.toThrow(problem);
    await expect(store.update(increment)).rejects.toThrow(problem);
    await put({ head: good["head"] });
    await expect.poll(() => store.problem).toBeUndefined();
    await store.update(increment);
    expect(ports(await open())).toBe(3004);
  });

  it("a store reloads its data on request, and reports it", async () => {
    const { open, put } = await start(etcd());
    const store = await open({ watch, times: { poll: HOUR_MS } });
    await put({ head: "broken" });
    await expect.poll(() => store.problem).toBeDefined();
    const [listener, reloads] = [vi.fn(), vi.fn()];
    store.subscribe(listener);
    store.onReload(reloads);
    store.reload();
    // Although the problem is the same.
    await expect.poll(() => listener.mock.calls.length).toBe(1);
    expect(reloads).toHaveBeenLastCalledWith({ isRead: false, milliseconds: expect.any(Number) });
    await put(written(4000));
    store.reload();
    await expect.poll(() => ports(store)).toBe(4000);
    expect(reloads).toHaveBeenLastCalledWith({ isRead: true, milliseconds: expect.any(Number) });
    expect(store.problem).toBeUndefined();
  });
});

describe("a store that follows others", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("a store reads only what was written since, whatever the size of the data", async () => {
    const { open } = await start(etcd());
    const parse = vi.fn((bytes: Buffer) => parseData(bytes));
    const [store, other] = [await open({ watch, parse }), await open()];
    for (let writes = 0; writes < 20; writes++) await other.update(increment);
    await expect.poll(() => ports(store)).toBe(3020);
    expect(parse).toHaveBeenCalledTimes(1);
    expect(store.data).toEqual((await open()).data);
  });

  it("a store never gives the id of a record that another writer has removed", async () => {
    const { open } = await start(etcd());
    const [store, other] = [await open({ watch }), await open()];
    const idsOf = ({ data: { variables, values } }: Pick<Store, "data">, name: string) => {
      const id = variables.find((variable) => variable.name === name)?.id;
      return { variable: id, value: values.find(({ variable_id }) => variable_id === id)?.id };
    };
    await other.update((data) => set(data, { REMOVED: "the last record" }));
    await expect.poll(() => idsOf(store, "REMOVED")).toEqual({ variable: 9, value: 20 });
    await other.update((data) => unset(data, "REMOVED"));
    await expect.poll(() => contents(store)).not.toHaveProperty("REMOVED");
    await store.update((data) => set(data, { ADDED: "afterwards" }));
    expect(idsOf(await open(), "ADDED")).toEqual({ variable: 10, value: 21 });
    expect(store.data).toEqual((await open()).data);
  });

  it("a store follows with one watch although the history since its last write was removed", async () => {
    const { open } = await start(etcd());
    await etcd().call("kv/put", { key: "AA==", value: "AA==" });
    await etcd().compact();
    const told = vi.fn();
    const store = await open({
      watch,
      times: { poll: HOUR_MS },
      gatewayTo: gatewayWith({ beforeChange: told }),
    });
    // That it has begun.
    await expect.poll(() => told.mock.calls.length).toBe(1);
    await (await open()).update(increment);
    await expect.poll(() => ports(store)).toBe(3001);
    expect(told).toHaveBeenCalledTimes(2);
  });

  it("the age of the data counts from before its head was read, or from before its own write was sent", async () => {
    const { open } = await start(etcd());
    let [readAt, sentAt] = [0, 0];
    const afterRange = () => {
      readAt ||= performance.now();
    };
    const beforeCommit = () => {
      sentAt = performance.now();
    };
    const store = await open({ gatewayTo: gatewayWith({ afterRange, beforeCommit }) });
    const confirmedAt = () => performance.now() - store.age;
    expect(confirmedAt()).toBeLessThan(readAt);
    const openedAt = confirmedAt();
    await store.update(increment);
    expect(confirmedAt()).toBeGreaterThan(openedAt);
    expect(confirmedAt()).toBeLessThan(sentAt);
  });

  it("a store that lags never takes back its own writes", async () => {
    const { open } = await start(etcd());
    const { opened, open: catchUp } = gate();
    const store = await open({ watch, gatewayTo: gatewayWith({ beforeChange: () => opened }) });
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

  it("a store does not show what it was still reading when it wrote", async () => {
    const { open } = await start(etcd());
    const [held, reading] = [gate(), gate()];
    let isHeld = false;
    const afterRange = async () => {
      if (!isHeld) return;
      isHeld = false;
      reading.open();
      await held.opened;
    };
    const [store, other] = [
      await open({ watch, gatewayTo: gatewayWith({ afterRange }) }),
      await open(),
    ];
    const shown: unknown[] = [];
    store.subscribe(() => shown.push(ports(store)));
    isHeld = true;
    await other.update(increment);
    await reading.opened;
    await store.update(increment);
    await store.update(increment);
    held.open();
    await other.update(increment);
    await expect.poll(() => ports(store)).toBe(3004);
    expect(shown).toEqual([...shown].sort());
  });
});
