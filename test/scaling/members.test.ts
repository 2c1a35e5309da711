import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createEtcdStore, type EtcdConnection, openEtcdStore } from "../../src/etcd/open-store.js";
import { startEtcdCluster } from "../support/etcd.js";
import { get } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { countersData, increment } from "./counters.js";
import { areAllGood, REPLICAS, Reader, readsText, startReplica, timeText } from "./replicas.js";
import { startWriters } from "./writers.js";

const WRITERS = 8;
const KILLS = QUICK ? 2 : 20;
const WRITES_BETWEEN = QUICK ? 50 : 200;
const MAX_GAP_MS = QUICK ? 10_000 : 5_000;

const DOWN_MS = QUICK ? 3_000 : 60_000;
const MAX_RECOVERY_MS = 10_000;
/** Longer than a replica takes to start without a member. */
const MAX_STALE_S = 8;
const UNREAD = "the data store could not be read again";
const OK = { message: "OK" };

describe("a cluster whose members are killed", needs("etcd"), () => {
  it("loses no write and repeats none when the leader is killed", async () => {
    const etcd = await startEtcdCluster();
    const access = etcd.access();
    await createEtcdStore(access, countersData(WRITERS));
    const readers = await startReaders(access);
    const writers = await startWriters(access, WRITERS);
    for (let kill = 0; kill < KILLS; kill++) {
      await writers.progress(WRITES_BETWEEN);
      const leader = await etcd.leader();
      await leader.process.kill();
      await writers.progress(WRITES_BETWEEN);
      await leader.process.start();
    }
    await writers.stop();
    const written = writers.compareWith(await readNewest(access));
    const { acknowledged, lost, repeated, longestGap, slowest } = written;
    report(
      "The leader is killed",
      `kill -9, ${KILLS} times under ${WRITERS} writers and ${REPLICAS} replicas`,
      `of ${grouped(acknowledged)} acknowledged writes ${lost} lost, ${repeated} applied twice; longest time without a write ` +
        `${timeText(longestGap)}, slowest write ${timeText(slowest)}; ${readsText(readers)}`,
    );
    expect(written).toMatchObject({ lost: 0, repeated: 0, errors: [] });
    expect(longestGap).toBeLessThanOrEqual(MAX_GAP_MS);
    expect(readers.every(areAllGood)).toBe(true);
  });

  it("is served without a member, and right soon after they are back", async () => {
    const etcd = await startEtcdCluster();
    const access = etcd.access();
    await createEtcdStore(access, countersData(1));
    const store = await openEtcdStore(access);
    const readers = await startReaders(access);
    await Promise.all(etcd.members.map(({ process }) => process.kill()));
    await delay(DOWN_MS);
    const start = performance.now();
    await Promise.all(etcd.members.map(({ process }) => process.start()));
    const count = await increment(store, 0);
    await Promise.all(readers.map((reader) => reader.reaches(count)));
    const recovery = performance.now() - start;
    await store.close();
    report(
      "No member is left",
      `all killed at once, started again after ${DOWN_MS / 1_000} s`,
      `${readsText(readers)}; a write is made and seen by ${REPLICAS} replicas within ${timeText(recovery)}`,
    );
    expect(readers.every(areAllGood)).toBe(true);
    expect(recovery).toBeLessThanOrEqual(MAX_RECOVERY_MS);
  });

  it("is served by replicas that start without a member, from the data they kept", async () => {
    const etcd = await startEtcdCluster();
    const access = etcd.access();
    await createEtcdStore(access, countersData(1));
    const folders = [await temporaryFolder(), await temporaryFolder()];
    const flags = ["--max-stale", `${MAX_STALE_S}s`];
    const start = () =>
      Promise.all(
        folders.map((cacheFolder, index) =>
          startReplica(access.address.url, { cacheFolder, flags: index ? flags : [] }),
        ),
      );
    for (const replica of await start()) await replica.stop();
    await Promise.all(etcd.members.map(({ process }) => process.kill()));
    const startedAt = performance.now();
    const replicas = await start();
    const startTook = performance.now() - startedAt;
    const readers = replicas.map(({ port }) => new Reader(port, 0));
    const health = () => Promise.all(replicas.map((replica) => get(replica, "/healthz", {})));
    await expect.poll(async () => (await health()).map(({ status }) => status)).toEqual([200, 503]);
    for (const { headers, json } of await health()) {
      const age = headers["appvars-data-age"];
      expect(json).toMatchObject({ message: `${UNREAD}; the data being served is ${age} s old` });
    }
    for (const replica of replicas) expect(replica.log()).toMatch(/ago, kept on this machine$/m);
    await Promise.all(etcd.members.map(({ process }) => process.start()));
    const backAt = performance.now();
    await expect.poll(async () => (await health()).map(({ json }) => json)).toMatchObject([OK, OK]);
    const recovery = performance.now() - backAt;
    report(
      "No member is left, and replicas start",
      `${replicas.length} replicas are stopped, all members killed, and the replicas started again`,
      `they serve their kept data after ${timeText(startTook)}, and say so in the log and with its age in /healthz; ` +
        `--max-stale ${MAX_STALE_S}s turns that into 503; ${readsText(readers)}; ` +
        `/healthz is OK within ${timeText(recovery)} after the members are back`,
    );
    expect(readers.every(areAllGood)).toBe(true);
    expect(recovery).toBeLessThanOrEqual(MAX_RECOVERY_MS);
  });
});

async function startReaders({ address: { url } }: EtcdConnection): Promise<Reader[]> {
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => startReplica(url)));
  return replicas.map(({ port }) => new Reader(port, 0));
}

async function readNewest(access: EtcdConnection) {
  const store = await openEtcdStore(access);
  await store.close();
  return store.data;
}
