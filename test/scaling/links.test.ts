import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEtcdStore, openEtcdStore } from "../../src/etcd/open-store.js";
import { startEtcdCluster } from "../support/etcd.js";
import { QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { tcpProxy } from "../support/tcp-proxy.js";
import { countersData, increment } from "./counters.js";
import { areAllGood, REPLICAS, Reader, readsText, startReplica, timeText } from "./replicas.js";

const CUTS = QUICK ? 2 : 20;
const MAX_CUT_MS = 2_000;
const HOLES = QUICK ? 1 : 5;
const HOLE_MS = 3_000;
const MAX_RECOVERY_MS = 10_000;

describe("replicas are right soon after", needs("etcd"), () => {
  it("their links were cut, even if the history was compacted meanwhile", async () => {
    const { etcd, links, readers, write, untilRight } = await linkedReplicas();
    const times: number[] = [];
    for (let cut = 0; cut < CUTS; cut++) {
      await Promise.all(links.flat().map((link) => link.cut()));
      await write();
      await write();
      await etcd.compact();
      await delay(Math.random() * MAX_CUT_MS);
      await Promise.all(links.flat().map((link) => link.heal()));
      times.push(await untilRight());
    }
    report(
      "Links are cut",
      `${CUTS} times those of ${REPLICAS} replicas to all members, for up to ${timeText(MAX_CUT_MS)}; meanwhile writes, and the history is compacted`,
      `all replicas right within ${longest(times)}; ${readsText(readers)}`,
    );
    expect(Math.max(...times)).toBeLessThanOrEqual(MAX_RECOVERY_MS);
    expect(readers.every(areAllGood)).toBe(true);
  });

  it("their links became black holes", async () => {
    const { links, readers, write, untilRight } = await linkedReplicas();
    const withOneLost: number[] = [];
    const afterAllWereLost: number[] = [];
    for (let hole = 0; hole < HOLES; hole++) {
      for (const ofReplica of links) ofReplica[hole % ofReplica.length]?.blackhole();
      await write();
      withOneLost.push(await untilRight());
      for (const link of links.flat()) link.blackhole();
      await write();
      await delay(HOLE_MS);
      await Promise.all(links.flat().map((link) => link.heal()));
      afterAllWereLost.push(await untilRight());
    }
    report(
      "Links are black holes",
      `${HOLES} times those of ${REPLICAS} replicas to one member, then those to all for ${timeText(HOLE_MS)}; meanwhile writes`,
      `all replicas right within ${longest(withOneLost)} without the one, within ${longest(afterAllWereLost)} ` +
        `after all came back; ${readsText(readers)}`,
    );
    expect(Math.max(...withOneLost, ...afterAllWereLost)).toBeLessThanOrEqual(MAX_RECOVERY_MS);
    expect(readers.every(areAllGood)).toBe(true);
  });
});

/**
 * Replicas that reach each member by a link that can fail, and a writer that reaches them directly.
 */
async function linkedReplicas() {
  const etcd = await startEtcdCluster();
  const prefix = etcd.newPrefix();
  const access = etcd.access(etcd.storeUrl(prefix));
  await createEtcdStore(access, countersData(1));
  const store = await openEtcdStore(access);
  onTestFinished(() => store.close());
  const linkAll = () => Promise.all(etcd.members.map(({ port }) => tcpProxy(port)));
  const links = await Promise.all(Array.from({ length: REPLICAS }, linkAll));
  const readers = await Promise.all(
    links.map(async (ofReplica) => {
      const ports = ofReplica.map(({ port }) => port);
      const { port } = await startReplica(etcd.storeUrl(prefix, ports));
      return new Reader(port, 0);
    }),
  );
  let count = 0;
  return {
    ...{ etcd, links, readers },
    write: async () => {
      count = await increment(store, 0);
    },
    /** Resolves to the milliseconds until all replicas answer with the last write. */
    untilRight: async () => {
      const start = performance.now();
      await Promise.all(readers.map((reader) => reader.reaches(count)));
      return performance.now() - start;
    },
  };
}

function longest(milliseconds: readonly number[]): string {
  return timeText(Math.max(...milliseconds));
}
