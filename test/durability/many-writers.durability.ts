import { mkdir, readFile, rename, rmdir, utimes } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { parseData } from "../../src/store/parse-data.js";
import { countingFile, leftBeside } from "./counting-file.js";
import { figure, grouped, since } from "./figure.js";
import { runWriter } from "./programs.js";

const WRITERS = 8;
const WRITES = 200;
// About what all of them take for one write each.
const TOGETHER_MS = 100;
const OF = `${WRITERS} writers of ${WRITES} writes each`;

it("loses no write of several processes that write at once", async () => {
  const path = await countingFile(10_000);
  const start = performance.now();
  const { acknowledged, present } = await writeAtOnce(path);
  figure(`${OF}: ${grouped(present)} of ${grouped(WRITERS * WRITES)} present (${since(start)})`);
  expect({ acknowledged, present }).toStrictEqual({ acknowledged: WRITERS * WRITES, present: WRITERS * WRITES });
  expect(await leftBeside(path)).toStrictEqual([]);
});

it("loses none when they wait for a lock whose holder was killed, and all try to take it over", async () => {
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
  figure(
    `${OF}, ${locks} stale locks between them: ${acknowledged - present} acknowledged writes lost, ` +
      `${WRITERS * WRITES - acknowledged} refused (${since(start)})`,
  );
  expect({ acknowledged, present }).toStrictEqual({ acknowledged: WRITERS * WRITES, present: WRITERS * WRITES });
});

/** How many writes were acknowledged, and how many of those are in the file at the end. */
async function writeAtOnce(path: string, more: string[] = []): Promise<{ acknowledged: number; present: number }> {
  const prefixes = Array.from({ length: WRITERS }, (_, index) => `WRITER_${index}`);
  const results = await Promise.all(prefixes.map((prefix) => runWriter([path, "add", `${WRITES}`, prefix, ...more])));
  expect(results.map(({ code }) => code)).toStrictEqual(prefixes.map(() => 0));
  const acknowledged = results.flatMap(({ lines }) => lines).filter((line) => line.startsWith("WRITER_"));
  const { variables } = await parseData(await readFile(path));
  const names = new Set(variables.map(({ name }) => name));
  return { acknowledged: acknowledged.length, present: acknowledged.filter((name) => names.has(name)).length };
}

/**
 * Takes the lock if it is free, and leaves it as one does that was killed long ago. In one step: to age a lock after
 * making it might age that of a writer which has come in between.
 */
async function leaveStaleLock(lockPath: string): Promise<boolean> {
  const stale = `${lockPath}.stale`;
  await mkdir(stale);
  const longAgo = Date.now() / 1_000 - 60;
  await utimes(stale, longAgo, longAgo);
  return rename(stale, lockPath).then(
    () => true,
    // It is held.
    () => rmdir(stale).then(() => false),
  );
}
