import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createEtcdStore } from "../../src/etcd/open-store.js";
import { bigData, ENVIRONMENTS } from "../support/big-data.mjs";
import { cpuSeconds } from "../support/cpu-time.js";
import { startEtcd } from "../support/etcd.js";
import { get } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { loadText, startWriter } from "./processes.js";
import { startReplica, timeText } from "./replicas.js";

const SIZES = QUICK ? [2_000, 20_000] : [2_000, 20_000, 100_000];
const WRITING_MS = QUICK ? 3_000 : 600_000;
const IDLE_MS = QUICK ? 1_000 : 20_000;
/** Until the replica has kept its data on disk for the first time. */
const WARM_UP_MS = QUICK ? 2_000 : 10_000;
/** In a short time, many: the CPU time of few is less than its clock shows. */
const [MIN_PER_SECOND, MAX_PER_SECOND] = QUICK ? [30, 30] : [1, 20];
const ASK_EVERY_MS = 200;
const MAX_DATABASE_BYTES = 200e6;
const MAX_AGE_S = 3;
/**
 * From the smallest size to the second. In a few seconds, what a replica keeps on disk counts for
 * more.
 */
const MAX_CPU_RATIO = QUICK ? 8 : 2;

const [NAME] = ENVIRONMENTS;
const CREDENTIALS = { "x-api-key": `key-of-${NAME}`, "x-api-secret": `secret-of-${NAME}` };

describe.skipIf(process.platform !== "linux")(
  "a store with writes all the time",
  needs("etcd"),
  () => {
    it("is fresh on a replica, whose work for a write does not depend on the size of the data", {
      timeout: 2_400_000,
    }, async () => {
      const found = [];
      for (const size of SIZES) found.push(await writeTo(size));
      const text = found.map(
        ({ size, writes, cpu, age, database }) =>
          `${grouped(size)}: ${grouped(writes)} writes, ${cpu.toFixed(2)} ms of CPU each, age at most ${age} s, ` +
          `database at most ${Math.round(database / 1e6)} MB`,
      );
      report(
        "Writes all the time",
        `${MIN_PER_SECOND} to ${MAX_PER_SECOND} a second for ${timeText(WRITING_MS)}, and a replica with --max-stale 20s, by number of variables`,
        `${text.join("; ")}; ${loadText()}`,
      );
      expect(found.flatMap(({ statuses }) => statuses.filter((status) => status !== 200))).toEqual(
        [],
      );
      expect(Math.max(...found.map(({ age }) => age))).toBeLessThanOrEqual(MAX_AGE_S);
      expect(Math.max(...found.map(({ database }) => database))).toBeLessThan(MAX_DATABASE_BYTES);
      const [small, large] = found.map(({ cpu }) => cpu) as [number, number];
      expect(large / small).toBeLessThanOrEqual(MAX_CPU_RATIO);
    });
  },
);

async function writeTo(size: number) {
  const etcd = await startEtcd({
    flags: ["--auto-compaction-mode", "revision", "--auto-compaction-retention", "10000"],
  });
  const access = etcd.access();
  const { url } = access.address;
  await createEtcdStore(access, bigData(size));
  const replica = await startReplica(url, { flags: ["--max-stale", "20s"] });
  const readVersion = async () => {
    const { headers } = await get(replica, "/v1/variables?limit=1", CREDENTIALS);
    return Number.parseInt(headers["appvars-version"] as string, 10);
  };
  const first = await readVersion();
  const writer = startWriter(url, ["pace", MIN_PER_SECOND, MAX_PER_SECOND]);
  await expect.poll(readVersion).toBeGreaterThan(first);
  await delay(WARM_UP_MS);

  const [before, cpuBefore] = [await readVersion(), cpuSeconds(replica.pid)];
  const statuses: number[] = [];
  let [age, database] = [0, 0];
  for (
    const end = performance.now() + WRITING_MS;
    performance.now() < end;
    await delay(ASK_EVERY_MS)
  ) {
    const { status, headers } = await get(replica, "/healthz", {});
    statuses.push(status);
    age = Math.max(age, Number(headers["appvars-data-age"]));
    database = Math.max(database, Number((await etcd.call("maintenance/status", {}))["dbSize"]));
  }
  const writes = (await readVersion()) - before;
  const used = cpuSeconds(replica.pid) - cpuBefore;
  writer.child.stdin?.end();
  expect(await writer.ended).toMatchObject({ code: 0 });
  // Without writes, it still asks etcd from time to time, and is asked here.
  const idleBefore = cpuSeconds(replica.pid);
  for (const end = performance.now() + IDLE_MS; performance.now() < end; await delay(ASK_EVERY_MS))
    await get(replica, "/healthz", {});
  const idle = ((cpuSeconds(replica.pid) - idleBefore) / IDLE_MS) * WRITING_MS;
  await replica.stop();
  await etcd.dispose();
  return { size, writes, cpu: ((used - idle) * 1_000) / writes, statuses, age, database };
}
