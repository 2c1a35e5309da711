import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { parseData } from "../../src/store/schema/parse-data.js";
import type { EditableStore } from "../../src/store/store.js";
import {
  delayAnswer,
  Echoes,
  type Fault,
  Ghost,
  loseAnswer,
  loseRequest,
  lossyLink,
  repeat,
  repeatAtOnce,
} from "../etcd/lossy-link.js";
import { DATA } from "../support/data.js";
import { contents, increment, set, unset } from "../support/edits.js";
import { startEtcd } from "../support/etcd.js";
import { putByHand, storeOf } from "../support/etcd-records.js";
import { openEtcd } from "../support/etcd-store.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { Random } from "../support/random.js";
import { report } from "../support/report.js";

const ROUNDS = QUICK ? 1 : 20;
const WRITERS = 4;
const WRITES = 8;
/** The changes of so many are too large for an entry: they are in parts. */
const RECORDS = 1_300;
const TIMES = { attempt: 250, request: 10_000, write: 60_000, poll: 50, lease: 10_000 };

it(
  "makes each change exactly once while requests and answers are lost, late or repeated",
  needs("etcd"),
  async () => {
    const seen = { faults: 0, wrong: 0 };
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const random = new Random(seed);
      const etcd = await startEtcd();
      const prefix = etcd.newPrefix();
      await putByHand(etcd, prefix, storeOf(DATA));
      const faultOf = faultsOf(random, seen);
      const open = async (watch: boolean) => {
        const { port } = await lossyLink(etcd.members[0]?.port ?? 0, faultOf);
        const parse = (bytes: Buffer) => delay(random.below(8)).then(() => parseData(bytes));
        const store = await openEtcd(etcd.access(etcd.storeUrl(prefix, [port])), {
          watch,
          times: TIMES,
          parse,
        });
        store.subscribe(whenShown(store, seen));
        return store;
      };
      const stores = await Promise.all(
        Array.from({ length: WRITERS }, (_, index) => open(index % 2 === 0)),
      );
      await Promise.all(stores.map(writeAll));
      const newest = await openEtcd(etcd.access(etcd.storeUrl(prefix)));
      seen.wrong += Math.abs(count(newest) - 3_000 - WRITERS * WRITES);
      for (const store of stores) await store.close();
      await etcd.dispose();
    }
    report(
      "Lost, late and repeated requests",
      `${grouped(ROUNDS * WRITERS * WRITES)} changes by ${WRITERS} writers at once, 3 in 8 of them of ${RECORDS} variables; ` +
        `${grouped(seen.faults)} of their transactions were lost, late, repeated, or made without an answer`,
      `${grouped(seen.wrong)} changes lost, made twice, taken back or seen by half`,
    );
    expect(seen.wrong).toBe(0);
  },
);

interface Seen {
  faults: number;
  wrong: number;
}

/** A third of the transactions fails in some way. */
function faultsOf(random: Random, seen: Seen): () => Fault | undefined {
  const ghosts: Ghost[] = [];
  const lateArrival: Fault = async ({ forward, drop }) => {
    for (const ghost of ghosts.splice(0, random.below(3))) await ghost.land();
    await forward();
    drop();
  };
  const late = (): Fault => {
    const ghost = new Ghost();
    return (exchange) => {
      ghosts.push(ghost);
      return ghost.fault(exchange);
    };
  };
  const echoes = new Echoes();
  const repeats = [repeat, repeatAtOnce, echoes.fault].map((fault) => () => fault);
  const choices = [
    () => loseAnswer,
    () => loseRequest,
    late,
    () => lateArrival,
    () => delayAnswer,
    ...repeats,
  ];
  return () => {
    if (random.below(3) > 0) return undefined;
    seen.faults++;
    return random.pick(choices)();
  };
}

/**
 * Counts forbidden snapshots: those with an earlier count than before, or half of the records
 * written together.
 */
function whenShown(store: EditableStore, seen: Seen): () => void {
  let highest = 0;
  return () => {
    const records = Object.keys(contents(store)).filter((name) => name.startsWith("MANY_"));
    if (count(store) < highest || records.length % RECORDS !== 0) seen.wrong++;
    highest = Math.max(highest, count(store));
  };
}

async function writeAll(store: EditableStore, writer: number): Promise<void> {
  const names = Array.from({ length: RECORDS }, (_, index) => `MANY_${writer}_${index}`);
  const many = Object.fromEntries(names.map((name) => [name, "x"]));
  for (let write = 0; write < WRITES; write++) {
    await store.update((data) => {
      if (write % 3 !== 1) return increment(data);
      const areThere = `MANY_${writer}_0` in contents({ data });
      return increment(areThere ? unset(data, ...names) : set(data, many));
    });
  }
}

function count(store: Pick<EditableStore, "data">): number {
  return Number(contents(store)["PORT"]);
}
