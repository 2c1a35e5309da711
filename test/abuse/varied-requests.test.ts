import { expect, it } from "vitest";
import { ROUTES } from "../../src/model/reads/routes.js";
import { bigData, bigName } from "../support/big-data.mjs";
import { askAll, requestText } from "../support/connection.js";
import { cpuSeconds } from "../support/cpu-time.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";

const VALUES = 50_000;
const REQUESTS = QUICK ? 500 : 2_000;
/**
 * The least CPU time of a request that can be told, in milliseconds: the system counts in steps of
 * 10 ms.
 */
const LEAST_MS = 0.06;

/** A target and, if it does not end with that, a header. */
type Target = readonly [target: string, header?: readonly [string, string]];

/** What a caller can vary in a request for a route without asking for something else. */
const IRRELEVANT: Record<string, (target: string, index: number) => Target> = {
  "an unknown parameter": (target, index) => [`${target}?x=${index}`],
  "unknown parameters before": (target, index) => [`${target}?${index}&%6Cimit=50&a=${index}`],
  "an unknown name": (target, index) => [`${target}?names=UNKNOWN_${index},${bigName(0)}`],
  "another tag": (target, index) => [target, ["if-none-match", `"${index}"`]],
};

/** The target of a route for one of the records, or for a page or names that begin there. */
function targetFor(route: string, index: number): string {
  const target = route.replace(":id", String(index + 1)).replace(":name", bigName(index));
  if (target !== route) return target;
  const names = Array.from({ length: 100 }, (_, step) => bigName((index + step * 7) % VALUES));
  return `${route}?limit=1000&offset=${index}&names=${names}`;
}

/** @returns asks for targets, and tells the server's CPU time for each in milliseconds */
async function measuredServer() {
  const { path } = await dataFile(bigData(VALUES, 50, ["production"]));
  const { port, pid } = await serveProcess(["--data", path, "--rate-limit", "0"]);
  const key = [
    ["x-api-key", "key-of-production"],
    ["x-api-secret", "secret-of-production"],
  ] as const;
  const ask = async (targets: readonly Target[]) => {
    const attempts = targets.map(([target, header]) => {
      return { bytes: requestText("HEAD", target, header ? [...key, header] : key), isHead: true };
    });
    const before = cpuSeconds(pid);
    await askAll(port, attempts, (answer) => expect(answer?.status).toBe(200), 4);
    return ((cpuSeconds(pid) - before) * 1_000) / targets.length;
  };
  return async (targetOf: (index: number) => Target) => {
    // To warm up, and to put together what is kept.
    await ask(Array.from({ length: 50 }, (_, index) => targetOf(index)));
    return ask(Array.from({ length: REQUESTS }, (_, index) => targetOf(index + 50)));
  };
}

it("no request costs much more CPU time than the same one before it, whatever a caller with a key varies", async () => {
  const measure = await measuredServer();
  const tooMuch: string[] = [];
  let [mostRatio, mostMs] = [0, 0];
  const plain = Math.max(await measure(() => [targetFor(ROUTES.content, 0)]), LEAST_MS);
  for (const route of Object.values(ROUTES)) {
    const target = route.replace(":id", "1").replace(":name", bigName(0));
    const same = Math.max(await measure(() => [target]), LEAST_MS);
    for (const [what, vary] of Object.entries(IRRELEVANT)) {
      const ratio = (await measure((index) => vary(target, index))) / same;
      mostRatio = Math.max(mostRatio, ratio);
      if (ratio > 5) tooMuch.push(`${route} with ${what}: ${ratio.toFixed(1)} times as much`);
    }
    const other = await measure((index) => [targetFor(route, index)]);
    mostMs = Math.max(mostMs, other);
    if (other > 40 * plain) tooMuch.push(`${route} for other records: ${other.toFixed(2)} ms`);
  }
  report(
    "Varied requests of a caller with a key",
    `each route with ${grouped(VALUES)} values, ${grouped(REQUESTS)} requests of each kind`,
    `at most ${mostRatio.toFixed(1)} times the CPU time of the same request; ${mostMs.toFixed(2)} ms for other records`,
  );
  expect(tooMuch).toEqual([]);
});
