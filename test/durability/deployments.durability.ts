import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { dataPieces } from "../../src/store/data-file.js";
import { readFileHistory } from "../../src/store/file-history.js";
import { parseData } from "../../src/store/parse-data.js";
import { grouped, QUICK } from "../support/measuring.js";
import { checkHistory, countingFile } from "./counting-file.js";
import { addRow, figure, since } from "./figure.js";
import { startProgram } from "./programs.js";

const DEPLOYMENTS = QUICK ? 40 : 420;
/** Longer than a write takes, so that they come at any moment of one. */
const WITHIN_MS = 30;

it.each([
  ["mv", (path: string) => rename(`${path}.new`, path)],
  ["cp", async (path: string) => writeFile(path, await readFile(`${path}.new`))],
])("no deployment with %s is lost while a writer writes all the time", async (command, deploy) => {
  const path = await countingFile(10_000);
  const start = performance.now();
  // It may read the file while `cp` writes it, and is refused then.
  let writer = startProgram("writer.mjs", [path, "count"]);
  let refused = 0;
  const written = async () => {
    const before = writer.lines.length;
    while (writer.lines.length < before + 2) {
      const code = await Promise.race([writer.ended, delay(1)]);
      if (code === undefined) continue;
      refused++;
      writer = startProgram("writer.mjs", [path, "count"]);
      return void (await writer.firstLine);
    }
  };
  await writer.firstLine;
  for (let number = 1; number <= DEPLOYMENTS; number++) {
    await delay(Math.random() * WITHIN_MS);
    const data = await parseData(await readFile(path));
    const values = data.values.map((each) =>
      each.id === 2 ? { ...each, content: { value: deployed(number) } } : each,
    );
    await writeFile(`${path}.new`, Buffer.concat([...dataPieces({ ...data, values })]), { mode: 0o600 });
    await deploy(path);
    await written();
  }
  writer.kill();
  await writer.ended;
  const seen = new Set<unknown>();
  for await (const { command: by, changes } of (await readFileHistory(path)).changes)
    for (const { after } of by === "changed outside" ? changes : []) seen.add(JSON.stringify(after));
  const isSeen = (number: number) => [...seen].some((text) => String(text).includes(`"${deployed(number)}"`));
  const lost = Array.from({ length: DEPLOYMENTS }, (_, index) => index + 1).filter((number) => !isSeen(number)).length;
  addRow({ test: `${command} while a writer writes`, tries: DEPLOYMENTS, lost, refused });
  figure(
    `${grouped(DEPLOYMENTS)} deployments with ${command}: ${lost} lost, ${refused} writes refused (${since(start)})`,
  );
  expect(lost).toBe(0);
  await checkHistory(path);
});

function deployed(number: number): string {
  return `deployment ${number}`;
}
