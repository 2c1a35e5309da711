import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createEtcdStore, openEtcdStore, type StoreAccess } from "../../src/etcd/open-store.js";
import { startEtcdCluster } from "../support/etcd.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { countersData, increment } from "./counters.js";
import { areAllGood, READ_EVERY_MS, REPLICAS, Reader, readsText, seconds, startReplica } from "./replicas.js";
import { startWriters } from "./writers.js";

const WRITERS = 8;
const KILLS = QUICK ? 3 : 20;
const WRITES_BETWEEN = 200;
const MAX_GAP_MS = 5_000;

const DOWN_MS = QUICK ? 5_000 : 60_000;
const MAX_RECOVERY_MS = 10_000;

describe("a cluster whose members are killed", needs("etcd"), () => {
  it("loses no write and repeats none when the leader is killed", async () => {
    const etcd = await startEtcdCluster();
    const access = etcd.access();
    await createEtcdStore(access, countersData(WRITERS));
    const readers = await startReaders(access, 0);
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
        `${seconds(longestGap)}, slowest write ${seconds(slowest)}; ${readsText(readers)}`,
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
    const readers = await startReaders(access, 0);
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
      `${readsText(readers)}; a write is made and seen by ${REPLICAS} replicas within ${seconds(recovery)}`,
    );
    expect(readers.every(areAllGood)).toBe(true);
    expect(recovery).toBeLessThanOrEqual(MAX_RECOVERY_MS);
  });
});

async function startReaders(access: StoreAccess, index: number): Promise<Reader[]> {
  const replicas = await Promise.all(Array.from({ length: REPLICAS }, () => startReplica(access)));
  return replicas.map(({ port }) => new Reader(port, index, READ_EVERY_MS));
}

async function readNewest(access: StoreAccess) {
  const store = await openEtcdStore(access);
  await store.close();
  return store.snapshot;
}
