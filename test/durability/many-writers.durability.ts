import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { createToken } from "../../src/kit/process/process-token.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { grouped, QUICK } from "../support/measuring.js";
import { countingFile, leftBeside } from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { type Program, runWriter, startProgram } from "./programs.js";

const WRITERS = 8;
const WRITES = QUICK ? 25 : 200;
// About as long as one write of each takes.
const TOGETHER_MS = 100;
const OF = `${WRITERS} writers of ${WRITES} writes each`;

it("several processes that write at once lose no write", async () => {
  const path = await countingFile(10_000);
  const start = performance.now();
  const { acknowledged, present } = await writeAtOnce(path);
  addRow({ test: `${WRITERS} writers`, ...counted(acknowledged, present) });
  figure(`${OF}: ${grouped(present)} of ${grouped(WRITERS * WRITES)} present (${since(start)})`);
  expect({ acknowledged, present }).toStrictEqual({
    acknowledged: WRITERS * WRITES,
    present: WRITERS * WRITES,
  });
  expect(await leftBeside(path)).toStrictEqual([]);
});

it.skipIf(process.platform !== "linux")(
  "several processes that take over the lock of a killed one lose no write",
  async () => {
    const path = await countingFile(0);
    const start = performance.now();
    let writing = true;
    let locks = 0;
    const leaveLocks = async () => {
      while (writing) {
        if (await leaveStaleLock(`${path}.lock`)) locks++;
        await delay(5);
      }
    };
    const [{ acknowledged, present }] = await Promise.all([
      writeAtOnce(path, [`${TOGETHER_MS}`]).finally(() => {
        writing = false;
      }),
      leaveLocks(),
    ]);
    addRow({
      test: `${WRITERS} writers, locks of killed ones between them`,
      ...counted(acknowledged, present),
    });
    figure(
      `${OF}, ${locks} stale locks between them: ${acknowledged - present} acknowledged writes lost, ` +
        `${WRITERS * WRITES - acknowledged} refused (${since(start)})`,
    );
    expect({ acknowledged, present }).toStrictEqual({
      acknowledged: WRITERS * WRITES,
      present: WRITERS * WRITES,
    });
  },
);

const FEW_WRITES = 50;
const KILLS = 4;
const DISTURBED_MS = QUICK ? 4_000 : 20_000;
const MAX_STOP_MS = QUICK ? 1_500 : 8_000;

it("no write is lost when writers are killed and stopped at random, and live ones succeed", async () => {
  const path = await countingFile(500_000);
  const start = performance.now();
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    startProgram("writer.mjs", [path, "add", `${FEW_WRITES}`, `WRITER_${index}`]),
  );
  const free = new Set(writers);
  const ended = new Set<Program>();
  for (const writer of writers) void writer.ended.then(() => ended.add(writer));
  let kills = 0;
  let stops = 0;
  const disturb = async () => {
    while (performance.now() - start < DISTURBED_MS) {
      await delay(Math.random() * 200);
      const choice = [...free].filter((writer) => !ended.has(writer));
      const writer = choice[Math.floor(Math.random() * choice.length)];
      if (!writer) continue;
      free.delete(writer);
      if (kills < KILLS && Math.random() < 0.5) {
        kills++;
        writer.kill();
        continue;
      }
      stops++;
      writer.send("SIGSTOP");
      await delay(Math.random() * MAX_STOP_MS);
      writer.send("SIGCONT");
      free.add(writer);
    }
  };
  await Promise.all([disturb(), disturb(), disturb()]);
  const codes = await Promise.all(writers.map(({ ended }) => ended));
  const isAcknowledged = (line: string) => line.startsWith("WRITER_");
  const acknowledged = writers.flatMap(({ lines }) => lines).filter(isAcknowledged);
  const ofSurvivors = writers
    .filter((_, index) => codes[index] === 0)
    .flatMap(({ lines }) => lines);
  const accepted = ofSurvivors.filter(isAcknowledged).length;
  const { variables } = await parseData(await readFile(path));
  const names = new Set(variables.map(({ name }) => name));
  const lost = acknowledged.filter((name) => !names.has(name)).length;
  addRow({
    test: `${WRITERS} writers, some killed and stopped`,
    tries: ofSurvivors.length,
    lost,
    refused: ofSurvivors.length - accepted,
  });
  figure(
    `${WRITERS} writers of ${FEW_WRITES} writes each, ${kills} killed, ${stops} stops of up to ${MAX_STOP_MS / 1_000} s: ${lost} ` +
      `acknowledged writes lost, ${accepted} of ${ofSurvivors.length} writes of the survivors accepted (${since(start)})`,
  );
  expect(lost).toBe(0);
  for (const line of ofSurvivors.filter((l) => !isAcknowledged(l))) figure(line);
  expect(ofSurvivors).toHaveLength((WRITERS - kills) * FEW_WRITES);
  expect(accepted / ofSurvivors.length).toBeGreaterThanOrEqual(0.95);
});

function counted(acknowledged: number, present: number) {
  const tries = WRITERS * WRITES;
  return { tries, lost: acknowledged - present, refused: tries - acknowledged };
}

/** How many writes were acknowledged, and how many of those are in the file at the end. */
async function writeAtOnce(
  path: string,
  more: string[] = [],
): Promise<{ acknowledged: number; present: number }> {
  const prefixes = Array.from({ length: WRITERS }, (_, index) => `WRITER_${index}`);
  const results = await Promise.all(
    prefixes.map((prefix) => runWriter([path, "add", `${WRITES}`, prefix, ...more])),
  );
  expect(results.map(({ code }) => code)).toStrictEqual(prefixes.map(() => 0));
  const acknowledged = results
    .flatMap(({ lines }) => lines)
    .filter((line) => line.startsWith("WRITER_"));
  const { variables } = await parseData(await readFile(path));
  const names = new Set(variables.map(({ name }) => name));
  return {
    acknowledged: acknowledged.length,
    present: acknowledged.filter((name) => names.has(name)).length,
  };
}

/**
 * Takes the lock if it is free, and leaves it as one does that was killed. In one step, as writers
 * come in between.
 */
async function leaveStaleLock(lockPath: string): Promise<boolean> {
  const stale = `${lockPath}.stale`;
  const [random, host, , , hostName] = createToken().split("-");
  await mkdir(stale);
  // No process but the system's own is that old.
  await writeFile(join(stale, [random, host, process.pid, 1, hostName].join("-")), "");
  return rename(stale, lockPath).then(
    () => true,
    // It is held.
    () => rm(stale, { recursive: true }).then(() => false),
  );
}
