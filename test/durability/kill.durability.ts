import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { openDataFile } from "../../src/store/file/json-file-store.js";
import { QUICK } from "../support/measuring.js";
import { checkHistory, countingFile, leftBeside, readCount } from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { startProgram } from "./programs.js";

const waits = vi.hoisted(() => ({ count: 0 }));

vi.mock("node:timers/promises", async (load) => {
  const real = await load<typeof import("node:timers/promises")>();
  const setTimeout: typeof real.setTimeout = (...args) => {
    waits.count++;
    return real.setTimeout(...args);
  };
  return { ...real, setTimeout };
});

// A writer killed within this time was starting, most likely.
const START_MS = 300;

/** Of 500 kills of a writer of 5 MB, on a busy machine. */
const MAX_MS = 1_800_000;

/** Files side by side, since starting writers takes most of the time. */
const SIZES = [
  { size: "10 KB", bytes: 10_000, files: QUICK ? 20 : 50, kills: QUICK ? 20 : 500, updatesMs: 60 },
  { size: "5 MB", bytes: 5_000_000, files: QUICK ? 4 : 10, kills: QUICK ? 4 : 500, updatesMs: 500 },
];

describe("a data file whose writer is killed", () => {
  it.each(SIZES)(
    "is whole, has all acknowledged writes, and agrees with its history: $size",
    async ({ size, bytes, files, kills, updatesMs }) => {
      const start = performance.now();
      const tally = {
        kills: 0,
        torn: 0,
        lost: 0,
        temporaries: 0,
        locks: 0,
        midWrite: 0,
        waiting: 0,
      };
      const paths = await Promise.all(Array.from({ length: files }, () => countingFile(bytes)));
      await Promise.all(
        paths.map((path) => killAgainAndAgain(path, kills / files, updatesMs, tally)),
      );

      addRow({ test: `kill -9, ${size}`, tries: tally.kills, lost: tally.lost, torn: tally.torn });
      figure(
        `kill -9, ${size}: ${tally.kills} kills, ${tally.torn} torn files, ${tally.lost} acknowledged writes lost, ` +
          `${tally.temporaries} temporary files left (${tally.locks} kills under the lock, ${tally.midWrite} of them ` +
          `with a temporary file there; ${tally.waiting} before the writer's first write; ${since(start)})`,
      );
      expect(tally).toMatchObject({ kills, torn: 0, lost: 0, temporaries: 0 });
    },
    MAX_MS,
  );

  it("does not make the next writer wait", async () => {
    // Large enough that a write takes much longer than a look whether it has begun.
    const path = await countingFile(1_000_000);
    // A lock without its token yet names no process, and is waited for.
    const isLocked = async () => (await readdir(`${path}.lock`).catch(() => [])).length > 0;
    do {
      const holder = startProgram("writer.mjs", [path, "count"]);
      await holder.firstLine;
      while (!(await isLocked()));
      holder.kill();
      await holder.ended;
    } while (!(await isLocked()));
    const store = await openDataFile(path);
    const start = performance.now();
    waits.count = 0;
    await store.update((data) => ({ ...data }));
    figure(`kill -9 under the lock: the next write took ${since(start)}`);
    expect(waits.count).toBe(0);
    expect(await leftBeside(path)).toStrictEqual([]);
  });
});

type Tally = Record<
  "kills" | "torn" | "lost" | "temporaries" | "locks" | "midWrite" | "waiting",
  number
>;

async function killAgainAndAgain(
  path: string,
  kills: number,
  updatesMs: number,
  tally: Tally,
): Promise<void> {
  let acknowledged = 0;
  let leftovers: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const writer = startProgram("writer.mjs", [path, "count"]);
    // One in ten is killed at a random moment, even before its first write.
    if (kill % 10 !== 9) await writer.firstLine;
    await delay(Math.random() * (kill % 10 === 9 ? START_MS : updatesMs));
    writer.kill();
    await writer.ended;

    const left = await leftBeside(path);
    const wrote = writer.lines.length > 0;
    acknowledged = Number(writer.lines.at(-1) ?? acknowledged);
    const temporaries = left.filter(isTemporary);
    tally.kills++;
    if (left.includes("vars.json.lock")) tally.locks++;
    if (temporaries.length > 0) tally.midWrite++;
    if (wrote) tally.temporaries += leftovers.filter((name) => left.includes(name)).length;
    else tally.waiting++;
    leftovers = temporaries;
    acknowledged = await checkedCount(path, acknowledged, tally);
  }
  const last = startProgram("writer.mjs", [path, "count", "1"]);
  await last.ended;
  tally.temporaries += (await leftBeside(path)).filter(isTemporary).length;
  expect(await readCount(path)).toBe(acknowledged + 1);
  expect(await leftBeside(path)).toStrictEqual([]);
}

/**
 * The count in the file: the last acknowledged one, or the next, if its writer was killed before
 * acknowledging it.
 */
async function checkedCount(path: string, acknowledged: number, tally: Tally): Promise<number> {
  const count = await readCount(path).catch(() => undefined);
  const problem = await checkHistory(path).catch(({ message }: Error) => message);
  if (problem) figure(`the history: ${problem}`);
  if (count === undefined || problem) tally.torn++;
  else if (count < acknowledged) tally.lost += acknowledged - count;
  return Math.max(count ?? 0, acknowledged);
}

function isTemporary(name: string): boolean {
  return name.endsWith(".tmp");
}
