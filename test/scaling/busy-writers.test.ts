import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createEtcdStore } from "../../src/etcd/open-store.js";
import { startEtcd } from "../support/etcd.js";
import { grouped, QUICK } from "../support/measuring.js";
import { needs } from "../support/needed-program.js";
import { report } from "../support/report.js";
import { countersData, countIn } from "./counters.js";
import {
  appvars,
  appvarsAhead,
  importFile,
  keepBusy,
  loadText,
  readNewest,
  set,
  startWriter,
  type Timed,
} from "./processes.js";
import { timeText } from "./replicas.js";

const WRITERS = 8;
const WRITING_MS = QUICK ? 4_000 : 60_000;
const SET_EVERY_MS = 2_000;
const MAX_SET_MS = 10_000;
const MIN_PER_SECOND = 200;

const IMPORTED = 3_000;
const DAYS_AHEAD = 3;
const BUSY_LOOPS = QUICK ? 3 : 6;
const SYNC_DELAYS_MS = QUICK ? [200] : [400, 1_200];
const MAX_MORE_SYNCS = 5;

describe("a store with many writers", needs("etcd"), () => {
  it("lets a command through beside writers at full speed", async () => {
    const access = (await startEtcd()).access();
    const { url } = access.address;
    await createEtcdStore(access, countersData(WRITERS));
    const writers = Array.from({ length: WRITERS }, (_, index) =>
      startWriter(url, ["count", index + 1]),
    );
    const writtenUntil = performance.now() + WRITING_MS;
    const sets: Timed[] = [];
    while (performance.now() < writtenUntil) {
      const next = delay(SET_EVERY_MS);
      sets.push(await set(url, `SET_${sets.length}`, "made"));
      await next;
    }
    const load = loadText();
    for (const { child } of writers) child.stdin?.end();
    const ended = await Promise.all(writers.map(({ ended }) => ended));
    const data = await readNewest(access);
    const done = ended.map(
      ({ stdout }) => JSON.parse(stdout) as { acknowledged: number; slowest: number },
    );
    const total = done.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
    const perSecond = total / (WRITING_MS / 1_000);
    const slowestSet = Math.max(...sets.map(({ milliseconds }) => milliseconds));
    const slowest = Math.max(...done.map((writer) => writer.slowest));
    report(
      "Writers at full speed",
      `${WRITERS} processes on one member for ${timeText(WRITING_MS)}, and a set every ${timeText(SET_EVERY_MS)}`,
      `${Math.round(perSecond)} writes a second, ${done.map(({ acknowledged }) => acknowledged).join(" ")}; ` +
        `slowest write ${timeText(slowest)}, slowest of ${sets.length} sets ${timeText(slowestSet)}; ${load}`,
    );
    expect(sets.map(({ code, stderr }) => stderr + code)).toEqual(
      sets.map(() => expect.stringMatching(/0$/)),
    );
    expect(done.map((_, index) => countIn(data, index))).toEqual(
      done.map(({ acknowledged }) => acknowledged),
    );
    expect(slowestSet).toBeLessThanOrEqual(MAX_SET_MS);
    if (!QUICK) expect(perSecond).toBeGreaterThanOrEqual(MIN_PER_SECOND);
  });

  it("takes large imports at once, some by clocks that are wrong", async () => {
    const access = (await startEtcd()).access();
    const { url } = access.address;
    await createEtcdStore(access, countersData(1));
    const files = await Promise.all(
      ["A", "B", "C", "D"].map((prefix) => importFile(prefix, IMPORTED)),
    );
    const ahead = DAYS_AHEAD * 86_400_000;
    const imports = await Promise.all(
      files.map((file, index) => {
        const words = ["import", file, "--store", url, "--env", "default/test"];
        return index < 2 ? appvars(...words) : appvarsAhead(ahead, ...words);
      }),
    );
    report(
      "Imports at once",
      `${imports.length} of ${grouped(IMPORTED)} variables, two by clocks ${DAYS_AHEAD} days ahead`,
      imports
        .map(({ code, milliseconds }) => `exit ${code} after ${timeText(milliseconds)}`)
        .join(", "),
    );
    expect(imports.map(({ code, stderr }) => [code, stderr])).toEqual(imports.map(() => [0, ""]));
    const { variables } = await readNewest(access);
    expect(variables).toHaveLength(1 + imports.length * IMPORTED);
  });
});

describe("a store on a slow disk, beside busy cores", needs("strace"), () => {
  it.each(SYNC_DELAYS_MS)("takes an import, and then commands: %i ms a sync", async (syncDelay) => {
    const etcd = await startEtcd({ syncDelay, flags: ["--unsafe-no-fsync=false"] });
    const access = etcd.access();
    const { url } = access.address;
    await createEtcdStore(access, countersData(1));
    const file = await importFile("A", IMPORTED);
    keepBusy(BUSY_LOOPS);
    const before = await set(url, "BEFORE", "1");
    const imported = await appvars("import", file, "--store", url, "--env", "default/test");
    const after: Timed[] = [];
    for (const name of ["ONE", "TWO", "THREE"]) after.push(await set(url, name, "1"));
    const text = ({ code, milliseconds }: Timed) => `exit ${code} after ${timeText(milliseconds)}`;
    report(
      `A disk with ${timeText(syncDelay)} a sync`,
      `${BUSY_LOOPS} busy loops; a set, an import of ${grouped(IMPORTED)}, and three sets`,
      `${text(before)}; ${text(imported)}; ${after.map(text).join(", ")}`,
    );
    const all = [before, imported, ...after];
    expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(all.map(() => [0, ""]));
    const slowest = Math.max(...after.map(({ milliseconds }) => milliseconds));
    expect(slowest).toBeLessThanOrEqual(before.milliseconds + MAX_MORE_SYNCS * syncDelay);
  });
});
