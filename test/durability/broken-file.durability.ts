import { rm, truncate, writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { DATA, edited } from "../support/data.js";
import { type DataFile, dataFile } from "../support/data-file.js";
import { get } from "../support/http.js";
import { runningServer } from "../support/running-server.js";
import { addRow, figure } from "./figure.js";

const NOTICED_WITHIN_MS = 2_000;
const TEXT = JSON.stringify(DATA);
const MENDED = edited((data) => (data.variables[0].description = "mended"));

const BREAKS: [fault: string, breakFile: (file: DataFile) => Promise<void>][] = [
  ["truncated in place", ({ path }) => truncate(path, TEXT.length / 2)],
  ["replaced by a half", (file) => file.write(TEXT.slice(0, TEXT.length / 2))],
  ["empty", ({ path }) => writeFile(path, "")],
  ["null", (file) => file.write("null")],
  ["with a byte order mark", (file) => file.write(`\uFEFF${TEXT}`)],
  ["deleted", ({ path }) => rm(path)],
  ["of the wrong version", (file) => file.write({ ...DATA, version: 2 })],
];

it.each(BREAKS)(
  "a served file that is %s changes no answer, is reported, and is reloaded once fixed",
  async (fault, breakFile) => {
    const file = await dataFile(DATA);
    const server = await runningServer({ data: file.path });
    const health = async () => (await get(server, "/healthz", {})).status;
    const answers = async () => {
      const targets = [
        "/v1/variables",
        "/v1/variables-values",
        "/v1/variables-values-by-name/PORT/content",
      ];
      const all = await Promise.all(targets.map((target) => get(server, target)));
      return all.map(({ status, body, headers }) => ({ status, body, etag: headers.etag }));
    };
    const before = await answers();
    expect(await health()).toBe(200);

    await breakFile(file);
    const toldMs = await until(health, 503);
    const after = await answers();
    addRow({
      test: "a served file is broken",
      tries: 1,
      torn: isDeepStrictEqual(after, before) ? 0 : 1,
    });
    expect(after).toStrictEqual(before);

    await file.write(MENDED);
    const mendedMs = await until(health, 200);
    expect((await answers())[0]?.body).toContain("mended");
    figure(
      `${fault}: answers unchanged, /healthz 503 after ${toldMs} ms; recovered ${mendedMs} ms after the mend`,
    );
    expect(mendedMs).toBeLessThan(NOTICED_WITHIN_MS);
  },
);

/** How long in milliseconds until `probe` gives that answer. */
async function until(probe: () => Promise<number>, wanted: number): Promise<number> {
  const start = performance.now();
  await expect.poll(probe, { timeout: 10_000, interval: 5 }).toBe(wanted);
  return Math.round(performance.now() - start);
}
