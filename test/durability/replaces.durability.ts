import { Agent } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { request } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { countingData, countingFile, KEYS } from "./counting-file.js";
import { addRow, figure } from "./figure.js";
import { startProgram } from "./programs.js";

const REPLACES = QUICK ? 100 : 1_000;
const PER_SECOND = 50;
const CLIENTS = 6;
const RECORDS = 150;
const SERVED_WITHIN_MS = 2_000;
// After this time, the last version counts as missing.
const MAX_WAIT_MS = 30_000;

it("serves whole versions while the file is replaced at a rate, and soon the last", async () => {
  const path = await countingFile(RECORDS * 1_050);
  const server = startProgram("server.mjs", [path]);
  const port = Number(await server.firstLine);
  const tally: Tally = { answers: 0, mixed: 0, failed: 0, older: 0, versions: new Set() };
  const writer = startProgram("writer.mjs", [path, "replace", `${REPLACES}`, `${PER_SECOND}`]);
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    hammer(port, index, writer.ended, tally),
  );
  const [code, ...servedAt] = await Promise.all([writer.ended, ...clients]);
  expect(code, writer.lines.join()).toBe(0);
  const [startedAt = 0, replacedAt = 0] = (writer.lines[0] ?? "").split(" ").map(Number);
  const servedMs = Math.max(...servedAt) - replacedAt;

  const rate = ((REPLACES * 1_000) / (replacedAt - startedAt)).toFixed(1);
  addRow({
    test: "answers while the file is replaced",
    tries: tally.answers,
    torn: tally.mixed,
    refused: tally.failed,
  });
  figure(
    `${grouped(REPLACES)} replaces at ${rate} a second under load: ${grouped(tally.answers)} answers, ` +
      `${tally.mixed} of two versions, ${tally.older} older than the one before, ${tally.failed} failed; ` +
      `${tally.versions.size} versions seen, the last one served everywhere ${servedMs} ms after the last replace`,
  );
  expect(tally).toMatchObject({ mixed: 0, failed: 0, older: 0 });
  expect(servedMs).toBeLessThan(SERVED_WITHIN_MS);
});

interface Tally {
  answers: number;
  mixed: number;
  failed: number;
  older: number;
  versions: Set<number>;
}

/**
 * Reads lists, one after the other, until it is served the last version; resolves to the time of
 * that.
 */
async function hammer(
  port: number,
  client: number,
  replaced: Promise<unknown>,
  tally: Tally,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const target = client % 2 === 0 ? "/v1/variables?limit=1000" : "/v1/variables-values?limit=1000";
  let deadline = Number.POSITIVE_INFINITY;
  replaced.then(() => {
    deadline = Date.now() + MAX_WAIT_MS;
  });
  let previous = 0;
  while (previous < REPLACES && Date.now() < deadline) {
    const { status, json } = await request({ port }, "GET", target, KEYS, { agent });
    const versions = [...new Set(status === 200 ? versionsOf(json) : [])];
    const [version = previous] = versions;
    tally.answers++;
    if (status !== 200) tally.failed++;
    if (versions.length > 1) tally.mixed++;
    if (version < previous) tally.older++;
    tally.versions.add(version);
    previous = version;
  }
  return Date.now();
}

interface Listed {
  data: { description?: string; content?: { value: unknown } }[];
}

/** The version that each record of an answer says it is of, which is 0 before the first replace. */
function versionsOf(json: unknown): number[] {
  const { data } = json as Listed;
  if (data.length !== countingData(RECORDS * 1_050).values.length) return [-1, -2];
  return data.map(({ description, content }) => Number(description ?? content?.value) || 0);
}
