import { expect, it } from "vitest";
import { Connection, requestText } from "../support/connection.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { Random } from "../support/random.js";
import { quantile, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";
import { signByHand } from "../support/sign-by-hand.js";
import { canaryData } from "./canaries.js";

const TRIES = QUICK ? 1_000 : 10_000;
/**
 * Of the test statistic z, on both sides. In the full size, the test is one of significance at 0.1
 * %. Other work on the machine of a CI run must not fail it: there, only a difference that anyone
 * would see does.
 */
const MAX_Z = QUICK ? 8 : 3.29;

/** Requests that are not timed. */
const WARM_UP = 2_000;

const DATA = canaryData();
const [{ api_key: key = "" } = {}] = DATA.environments;
const TARGET = "/v1/variables/1";

/** Refused requests, each in the two ways that must look the same. */
const KINDS = {
  "secret, unknown key": (random: Random) => [
    ["x-api-key", random.hex(24)],
    ["x-api-secret", random.hex(64)],
  ],
  "secret, known key": (random: Random) => [
    ["x-api-key", key],
    ["x-api-secret", random.hex(64)],
  ],
  "signature, unknown key": (random: Random) => [
    ["x-api-key", random.hex(24)],
    ["Authorization", signed(random)],
  ],
  "signature, known key": (random: Random) => [
    ["x-api-key", key],
    ["Authorization", signed(random)],
  ],
} satisfies Record<string, (random: Random) => [string, string][]>;
type Kind = keyof typeof KINDS;
const PAIRS: [Kind, Kind][] = [
  ["secret, unknown key", "secret, known key"],
  ["signature, unknown key", "signature, known key"],
];

function signed(random: Random): string {
  return signByHand({ secret: random.hex(64), route: TARGET });
}

it("the time to refuse credentials does not tell whether the key exists", async () => {
  const { path } = await dataFile(DATA);
  const { port } = await serveProcess(["--data", path, "--rate-limit", "0"]);
  const random = new Random(3);
  const connection = new Connection(port);
  const kinds = Object.keys(KINDS) as Kind[];
  const times = new Map(kinds.map((kind) => [kind, [] as number[]]));
  const order = Array.from({ length: TRIES }, () => random.shuffle(kinds)).flat();
  // All made before: work of the client between two requests would change the time to the next
  // answer.
  const requests = [...order.slice(0, WARM_UP), ...order].map((kind) => ({
    kind,
    bytes: Buffer.from(requestText("GET", TARGET, KINDS[kind](random)), "latin1"),
  }));
  for (const [index, { kind, bytes }] of requests.entries()) {
    const start = process.hrtime.bigint();
    const answer = await connection.ask(bytes);
    const nanoseconds = Number(process.hrtime.bigint() - start);
    expect(answer?.status).toBe(401);
    if (index >= WARM_UP) times.get(kind)?.push(nanoseconds);
  }
  connection.close();

  const results = PAIRS.map(([one, other]) => {
    const [first, second] = [times.get(one) ?? [], times.get(other) ?? []];
    const medians = [first, second].map((each) => `${(quantile(each, 0.5) / 1_000).toFixed(1)} µs`);
    const { z, share } = mannWhitney(first, second);
    return {
      z,
      text: `${one}/${other.split(", ")[1]}: ${medians.join("/")}, z = ${z.toFixed(1)}, slower in ${(100 * share).toFixed(1)} %`,
    };
  });
  report(
    "Timing of refusals",
    `${grouped(TRIES)} of each kind in turn; Mann-Whitney U test, two-sided, equal if \\|z\\| < ${MAX_Z}`,
    results.map(({ text }) => text).join("; "),
  );
  for (const { z, text } of results) expect(Math.abs(z), text).toBeLessThan(MAX_Z);
});

/** @returns z of the normal approximation, and how often one of `first` exceeds one of `second` */
function mannWhitney(
  first: readonly number[],
  second: readonly number[],
): { z: number; share: number } {
  const all = [
    ...first.map((time) => ({ time, isFirst: true })),
    ...second.map((time) => ({ time, isFirst: false })),
  ];
  all.sort((one, other) => one.time - other.time);
  let rankSum = 0;
  for (let start = 0, end = 0; start < all.length; start = end) {
    while (end < all.length && all[end]?.time === all[start]?.time) end++;
    // Equal times share the mean of their ranks.
    const rank = (start + 1 + end) / 2;
    rankSum += rank * all.slice(start, end).filter(({ isFirst }) => isFirst).length;
  }
  const [n, m] = [first.length, second.length];
  const u = rankSum - (n * (n + 1)) / 2;
  return { z: (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12), share: u / (n * m) };
}
