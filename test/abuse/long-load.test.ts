import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Data } from "../../src/store/data.js";
import { memoryOf } from "../bench/shared/memory.mjs";
import { Connection, type RawAnswer, requestText } from "../support/connection.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { aRecord } from "../support/records.js";
import { quantile, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";
import { signByHand } from "../support/sign-by-hand.js";

const SECONDS = QUICK ? 8 : 600;
const SECONDS_AT_MAXIMUM = QUICK ? 2 : 20;
const REPLACE_SECONDS = QUICK ? 2 : 10;
const SHARE_OF_MAXIMUM = 0.7;
const CONNECTIONS = 32;
const VARIABLES = 2_000;
/** How much larger or smaller the memory of the last minute may be than that of the second. */
const MAX_CHANGE = 0.1;

const KEY = "key-of-the-load-test";
const SECRET = "secret-of-the-load-test";
const TARGET = "/v1/variables-values?limit=5";
const SIGN_EVERY_MS = 30_000;

/** Data in which every value is the version. */
function version(value: number): Data {
  const ids = Array.from({ length: VARIABLES }, (_, index) => index + 1);
  const application = "default";
  return {
    version: 1,
    environments: [{ id: 1, application, name: "test", api_key: KEY, api_secret: SECRET }],
    variables: ids.map((id) =>
      aRecord({ id, application, type: "NUMBER", name: `V${id}`, description: "x".repeat(200) }),
    ),
    values: ids.map((id) => ({ id, variable_id: id, environment_id: 1, content: { value } })),
  };
}

/** The fault of an answer: it must be one version, and none before `oldest`. */
function faultOf(answer: RawAnswer | undefined, oldest: number): string | undefined {
  if (answer?.status !== 200) return `status ${answer?.status}`;
  const versions = [...answer.body.matchAll(/"value":(\d+)/g)].map(([, text]) => Number(text));
  if (versions.length !== 5 || new Set(versions).size !== 1) return `versions ${versions.join()}`;
  return (versions[0] ?? 0) < oldest ? `version ${versions[0]} after ${oldest}` : undefined;
}

interface Load {
  readonly errors: string[];
  readonly times: number[];
}

/** Signed requests on all connections for some time; at a rate, or as fast as they are answered. */
async function load(
  port: number,
  seconds: number,
  oldest: () => number,
  perSecond = Number.POSITIVE_INFINITY,
): Promise<Load> {
  const end = performance.now() + 1_000 * seconds;
  const result: Load = { errors: [], times: [] };
  const interval = (1_000 * CONNECTIONS) / perSecond;
  const work = async (index: number) => {
    let connection = new Connection(port);
    let [bytes, signedAt] = ["", Number.NEGATIVE_INFINITY];
    for (
      let due = performance.now() + (interval * index) / CONNECTIONS;
      due < end;
      due += interval
    ) {
      const now = performance.now();
      if (now > end) break;
      if (now - signedAt > SIGN_EVERY_MS) {
        const signed = signByHand({ secret: SECRET, route: TARGET });
        bytes = requestText("GET", TARGET, [
          ["x-api-key", KEY],
          ["Authorization", signed],
        ]);
        signedAt = now;
      }
      // A timer may be late: requests that are overdue are sent at once.
      if (due > now + 1) await delay(due - now);
      if (!connection.isOpen) connection = new Connection(port);
      const before = oldest();
      const start = performance.now();
      const fault = faultOf(await connection.ask(bytes), before);
      result.times.push(performance.now() - start);
      if (fault) result.errors.push(fault);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => work(index)));
  return result;
}

it.skipIf(process.platform !== "linux")(
  "a server under load serves each version of its data, in the same memory",
  async () => {
    const { path, write } = await dataFile(version(1));
    const { port, pid, log, stop } = await serveProcess(["--data", path, "--rate-limit", "0"]);
    const atMaximum = await load(port, SECONDS_AT_MAXIMUM, () => 1);
    const perSecond = (SHARE_OF_MAXIMUM * atMaximum.times.length) / SECONDS_AT_MAXIMUM;

    // The newest version that every request must see: one that the server has said it has read.
    let newest = 1;
    let isOver = false;
    const memory: number[] = [];
    const replaceAndMeasure = async () => {
      for (let second = 1; !isOver; second++) {
        await delay(1_000);
        memory.push(memoryOf(pid).now);
        if (second % REPLACE_SECONDS !== 0) continue;
        const readBefore = log().match(/reloaded/g)?.length ?? 0;
        await write(version(newest + 1));
        await expect
          .poll(() => log().match(/reloaded/g)?.length ?? 0, { timeout: 10_000 })
          .toBeGreaterThan(readBefore);
        newest++;
      }
    };
    const replacing = replaceAndMeasure();
    const { errors, times } = await load(port, SECONDS, () => newest, perSecond);
    isOver = true;
    await replacing;

    const [second, last] = [memory.slice(60, 120), memory.slice(-60)].map((minute) =>
      Math.round(quantile(minute, 0.5)),
    );
    const memoryText = QUICK
      ? `${last} MB`
      : `${second} MB in the second minute, ${last} MB in the last`;
    report(
      "Long load",
      `${SECONDS} s at ${grouped(Math.round(perSecond))} signed requests/s, ${SHARE_OF_MAXIMUM * 100} % of the maximum of this client; ` +
        `${grouped(VARIABLES)} variables replaced every ${REPLACE_SECONDS} s, ${newest - 1} times`,
      `${grouped(times.length)} requests, ${errors.length} errors, p99 ${quantile(times, 0.99).toFixed(1)} ms; memory: ${memoryText}`,
    );
    expect(atMaximum.errors).toEqual([]);
    expect(errors.slice(0, 10)).toEqual([]);
    expect(newest).toBeGreaterThan((0.5 * SECONDS) / REPLACE_SECONDS);
    if (!QUICK) expect(Math.abs((last ?? 0) / (second ?? 0) - 1)).toBeLessThan(MAX_CHANGE);
    expect(await stop()).toBe(0);
  },
);
