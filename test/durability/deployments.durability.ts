import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { serializeData } from "../../src/store/bytes/data-text.js";
import { parseData } from "../../src/store/schema/parse-data.js";
import { grouped, QUICK } from "../support/measuring.js";
import { checkHistory, countingFile } from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { startProgram } from "./programs.js";

const DEPLOYMENTS = QUICK ? 40 : 420;
/** Longer than a write takes, so that they come at any moment of one. */
const WITHIN_MS = 30;
/**
 * No system call compares and renames, so what comes between the last `stat` and the rename is
 * lost: about one in fifty. It was a fifth of all. Of few tries, chance takes more.
 */
const MAX_LOST = QUICK ? 0.125 : 0.05;

it.each([
  ["mv", (path: string) => rename(`${path}.new`, path)],
  ["cp", async (path: string) => writeFile(path, await readFile(`${path}.new`))],
])(
  "a deployment with %s is lost only between the last look at the file and its replacement",
  async (command, deploy) => {
    const path = await countingFile(10_000);
    const start = performance.now();
    let writer = startProgram("writer.mjs", [path, "count"]);
    let [lost, refused] = [0, 0];
    await writer.firstLine;
    for (let number = 1; number <= DEPLOYMENTS; number++) {
      await delay(Math.random() * WITHIN_MS);
      const data = await parseData(await readFile(path));
      const content = { value: `deployment ${number}` };
      const values = data.values.map((record) =>
        record.id === 2 ? { ...record, content } : record,
      );
      const deployed = Buffer.concat([...serializeData({ ...data, values })]);
      await writeFile(`${path}.new`, deployed, { mode: 0o600 });
      await deploy(path);
      let next = deployed;
      while (next.equals(deployed)) {
        // It has read the file while `cp` wrote it.
        if ((await Promise.race([writer.ended, delay(1)])) !== undefined) {
          refused++;
          writer = startProgram("writer.mjs", [path, "count"]);
          await writer.firstLine;
        }
        next = await readFile(path);
      }
      if (!next.includes(`"${content.value}"`)) lost++;
    }
    writer.kill();
    await writer.ended;
    addRow({ test: `${command} while a writer writes`, tries: DEPLOYMENTS, lost, refused });
    figure(
      `${grouped(DEPLOYMENTS)} deployments with ${command}: ${lost} lost, ${refused} writes refused (${since(start)})`,
    );
    expect(lost).toBeLessThanOrEqual(DEPLOYMENTS * MAX_LOST);
    await checkHistory(path);
  },
);
