import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { countingFile, leftBeside, readCount } from "./counting-file.js";
import { figure, since } from "./figure.js";
import { startProgram } from "./programs.js";

const KILLS = 500;
// A killed holder's lock is taken over after 5 to 6 s; a writer killed within that time was waiting or starting.
const WAIT_MS = 6_500;

/** Files side by side, since each spends most of its time waiting for the lock of the one that was killed. */
const SIZES = [
  { size: "10 KB", bytes: 10_000, files: 50, updatesMs: 60 },
  { size: "5 MB", bytes: 5_000_000, files: 25, updatesMs: 500 },
];

describe("a data file whose writer is killed", () => {
  it.each(SIZES)("is whole, and has what was acknowledged: $size", async ({ size, bytes, files, updatesMs }) => {
    const start = performance.now();
    const tally = { kills: 0, torn: 0, lost: 0, temporaries: 0, locks: 0, midWrite: 0, waiting: 0 };
    const paths = await Promise.all(Array.from({ length: files }, () => countingFile(bytes)));
    await Promise.all(paths.map((path) => killAgainAndAgain(path, KILLS / files, updatesMs, tally)));

    figure(
      `kill -9, ${size}: ${tally.kills} kills, ${tally.torn} torn files, ${tally.lost} acknowledged writes lost, ` +
        `${tally.temporaries} temporary files left (${tally.locks} kills under the lock, ${tally.midWrite} of them ` +
        `with a temporary file there; ${tally.waiting} before the writer's first write; ${since(start)})`,
    );
    expect(tally).toMatchObject({ kills: KILLS, torn: 0, lost: 0, temporaries: 0 });
  });

  it("makes the next writer wait for about 6 s", async () => {
    // Large enough that the kill is sure to come before the second write is done.
    const path = await countingFile(1_000_000);
    do {
      const holder = startProgram("writer.mjs", [path, "count"]);
      await holder.firstLine;
      holder.kill();
      await holder.ended;
    } while (!(await leftBeside(path)).includes("vars.json.lock"));
    const start = performance.now();
    await startProgram("writer.mjs", [path, "count", "1"]).ended;
    figure(`kill -9 under the lock: the next write took ${since(start)}`);
    expect(await leftBeside(path)).toStrictEqual([]);
  });
});

type Tally = Record<"kills" | "torn" | "lost" | "temporaries" | "locks" | "midWrite" | "waiting", number>;

async function killAgainAndAgain(path: string, kills: number, updatesMs: number, tally: Tally): Promise<void> {
  let acknowledged = 0;
  let leftovers: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const writer = startProgram("writer.mjs", [path, "count"]);
    // One in ten is killed whatever it has come to.
    if (kill % 10 !== 9) await writer.firstLine;
    await delay(Math.random() * (kill % 10 === 9 ? WAIT_MS : updatesMs));
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

/** The count in the file: the one acknowledged last, or the next, whose writer was killed before it said so. */
async function checkedCount(path: string, acknowledged: number, tally: Tally): Promise<number> {
  const count = await readCount(path).catch(() => undefined);
  if (count === undefined) tally.torn++;
  else if (count < acknowledged) tally.lost += acknowledged - count;
  return Math.max(count ?? 0, acknowledged);
}

function isTemporary(name: string): boolean {
  return name.endsWith(".tmp");
}
