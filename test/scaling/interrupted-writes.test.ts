import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createEtcdStore } from "../../src/etcd/open-store.js";
import { Sealing } from "../../src/etcd/sealing.js";
import { type Fault, Ghost, loseAnswer, lossyLink } from "../etcd/lossy-link.js";
import { BINARY, start } from "../support/binary.js";
import { sharedEtcd } from "../support/etcd.js";
import { readByHand } from "../support/etcd-records.js";
import { openEtcd } from "../support/etcd-store.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { countersData, countIn, increment, textsData } from "./counters.js";
import { appvars, importFile, readNewest, set, startWriter } from "./processes.js";
import { timeText } from "./replicas.js";

const IMPORTED = QUICK ? 4_000 : 10_000;
const KILLS = QUICK ? 4 : 40;
const MAX_LONGER_MS = 2_000;

const FILLED = 2_000;
const FILLED_LENGTH = 1_500;
const SHORT_LEASE_MS = 2_000;

describe("a store whose writers are interrupted", needs("etcd"), () => {
  const etcd = sharedEtcd();

  it("has all of a killed import or nothing, and takes the next write", async () => {
    // Not to be compressed: in several parts.
    const file = await importFile("A", IMPORTED, () =>
      randomBytes(1e6 / IMPORTED).toString("base64"),
    );
    /**
     * Imports into a new store.
     *
     * @param kill called with the number of a transaction that writes, and the process
     */
    const importInto = async (faultOf: (before: number, kill: () => void) => Fault | undefined) => {
      const prefix = etcd().newPrefix();
      const access = etcd().access(etcd().storeUrl(prefix));
      await createEtcdStore(access, countersData(1));
      let kill = () => {};
      const link = await lossyLink(etcd().members[0]?.port ?? 0, (before) => faultOf(before, kill));
      const url = etcd().storeUrl(prefix, [link.port]);
      const child = start(process.execPath, [
        BINARY,
        "import",
        file,
        "--store",
        url,
        "--env",
        "default/test",
      ]);
      kill = () => child.kill("SIGKILL");
      const [code, signal] = await once(child, "close");
      return { access, outcome: code ?? signal, transactions: link.transactions };
    };

    const whole = await importInto(() => undefined);
    expect(whole.outcome).toBe(0);
    const idle = (await set(whole.access.address.url, "IDLE", "1")).milliseconds;
    // Before and after each transaction: those of the parts, that of the write, and those of the
    // snapshot.
    const all = Array.from({ length: 2 * whole.transactions }, (_, moment) => moment);
    const step = Math.max(1, all.length / KILLS);
    const moments = Array.from(
      { length: Math.min(KILLS, all.length) },
      (_, index) => all[Math.floor(index * step)] ?? 0,
    );
    const found: { count: number; code: number | null; longer: number }[] = [];
    for (const moment of moments) {
      const { access, outcome } = await importInto((before, kill) => {
        if (before !== Math.floor(moment / 2)) return undefined;
        return async ({ forward, drop }) => {
          if (moment % 2 === 1) await forward();
          kill();
          drop();
        };
      });
      expect(outcome).toBe("SIGKILL");
      const count = (await readNewest(access)).variables.length - 1;
      const { code, milliseconds } = await set(access.address.url, "NEXT", "1");
      found.push({ count, code, longer: milliseconds - idle });
    }
    const wholes = found.filter(({ count }) => count === IMPORTED).length;
    const nothings = found.filter(({ count }) => count === 0).length;
    const longest = Math.max(...found.map(({ longer }) => longer));
    report(
      "An import is killed",
      `kill -9 of an import of ${grouped(IMPORTED)} before and after ${whole.transactions} transactions, at ${moments.length} moments; then a set`,
      `${wholes} times whole, ${nothings} times nothing; the set takes at most ${timeText(Math.max(0, longest))} longer than the ${timeText(idle)} without it`,
    );
    expect(wholes + nothings).toBe(moments.length);
    expect(wholes).toBeGreaterThan(0);
    expect(nothings).toBeGreaterThan(0);
    expect(found.map(({ code }) => code)).toEqual(found.map(() => 0));
    expect(longest).toBeLessThanOrEqual(MAX_LONGER_MS);
  });

  it("begins a large write again after its lease and its parts were lost", async () => {
    const prefix = etcd().newPrefix();
    const access = etcd().access(etcd().storeUrl(prefix));
    await createEtcdStore(access, textsData(FILLED));
    let pause: (() => void) | undefined;
    const link = await lossyLink(etcd().members[0]?.port ?? 0, (before) => {
      // The first part is on its way.
      if (before === 1) pause?.();
      return undefined;
    });
    const url = etcd().storeUrl(prefix, [link.port]);
    const writer = startWriter(url, ["fill", FILLED, FILLED_LENGTH], { lease: SHORT_LEASE_MS });
    let isPaused = false;
    pause = () => {
      isPaused = writer.child.kill("SIGSTOP");
    };
    await expect.poll(() => isPaused).toBe(true);
    const keys = async (part: string) =>
      Object.keys(await readByHand(etcd(), prefix)).filter((key) => key.startsWith(part));
    // Those of the first snapshot stay.
    await expect.poll(() => keys("uploads/")).toHaveLength(1);
    expect((await keys("parts/")).length).toBeGreaterThan(1);
    expect(
      await appvars("history", "--prune", "1", "--store", access.address.url, "--quiet"),
    ).toMatchObject({
      code: 0,
    });
    expect(await keys("parts/")).toHaveLength(1);
    writer.child.kill("SIGCONT");
    const { code, stdout } = await writer.ended;
    const { values } = await readNewest(access);
    const filled = values.filter(
      ({ content: { value } }) => (value as string).length === FILLED_LENGTH,
    ).length;
    report(
      "A large writer is stopped",
      `SIGSTOP of a write of ${grouped(FILLED)} values until its lease is gone and its parts are removed, then SIGCONT`,
      `exit ${code}, ${grouped(filled)} values are there`,
    );
    expect([code, stdout]).toEqual([0, expect.stringContaining("attempts")]);
    expect(filled).toBe(FILLED);
  });

  it("never makes a late write twice, and never calls one made that may not be", async () => {
    const prefix = etcd().newPrefix();
    const access = etcd().access(etcd().storeUrl(prefix));
    await createEtcdStore(access, countersData(1));
    const others = await openEtcd(access);
    /** Other writes, a new snapshot, and the entries before it are removed. */
    const goOn = async () => {
      for (let write = 0; write < 3; write++) await increment(others, 0);
      await others.resealAll(new Sealing());
      await others.prune(0);
    };
    const open = async (faults: readonly Fault[]) => {
      const link = await lossyLink(etcd().members[0]?.port ?? 0, (before) => faults[before]);
      return openEtcd(etcd().access(etcd().storeUrl(prefix, [link.port])), {
        times: { attempt: 10_000 },
      });
    };

    const ghost = new Ghost();
    expect(await increment(await open([ghost.fault]), 0)).toBe(1);
    await goOn();
    const late = await ghost.land();
    expect(late).not.toContain("succeeded");
    expect(countIn(await readNewest(access), 0)).toBe(4);

    const forgotten: Fault = async ({ drop }) => {
      await goOn();
      drop();
    };
    const outcome = await increment(await open([loseAnswer, forgotten]), 0).catch(
      (error: Error) => error.message,
    );
    expect(outcome).toMatch(/not known whether the change was made/);
    expect(countIn(await readNewest(access), 0)).toBe(8);
    report(
      "A late transaction",
      "it arrives after other writes and a new snapshot, and its entry was removed meanwhile; the same for one that was made without an answer",
      `the late one is refused; of the other, the writer says: "${outcome}"`,
    );
  });
});
