import { describe, expect, it } from "vitest";
import { type Attempt, askAll, Connection, requestText } from "../support/connection.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { grouped, QUICK } from "../support/measuring.js";
import { Random } from "../support/random.js";
import { counts, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";
import { md5, signByHand } from "../support/sign-by-hand.js";

const HEADERS = QUICK ? 10_000 : 100_000;
/** The bytes that each byte of a good request is replaced with. */
const REPLACEMENTS = QUICK
  ? [0, 1, 2, 3, 4, 5, 6, 7].map((bit) => 1 << bit)
  : Array.from({ length: 255 }, (_, i) => i + 1);

const { apiKey, apiSecret } = DEVELOPMENT;
const TARGETS = [
  "/v1/variables",
  "/v1/variables?limit=5&offset=1",
  "/v1/variables-values-by-name/PORT/content",
];

async function server() {
  const { path } = await dataFile(DATA);
  return serveProcess(["--data", path, "--rate-limit", "0"]);
}

/** Whether an answer reveals only that the request was refused. */
function isRefusal(status: number, { hasKey, target }: Forgery): boolean {
  if (status === 429) return !hasKey;
  return [400, 401].includes(status) || (status === 404 && !target.startsWith("/v1/"));
}

interface Forgery extends Attempt {
  readonly change: string;
  readonly hasKey: boolean;
  readonly target: string;
}

/**
 * Sends forgeries and, before and after, a good request.
 *
 * @returns the statuses, and the forgeries that were let in
 */
async function tryAll(forgeries: Iterable<Forgery>) {
  const { port, log, stop } = await server();
  const statuses: number[] = [];
  const letIn: string[] = [];
  expect((await askOnce(port, good("/v1/variables")))?.status).toBe(200);
  await askAll(port, forgeries, (answer, forgery) => {
    statuses.push(answer?.status ?? 0);
    if (!answer || !isRefusal(answer.status, forgery))
      letIn.push(`${answer?.status} for ${forgery.change}`);
  });
  expect((await askOnce(port, good("/v1/variables")))?.status).toBe(200);
  expect(log()).not.toMatch(/error|ended/i);
  expect(await stop()).toBe(0);
  return { statuses, letIn };
}

async function askOnce(port: number, bytes: string) {
  const connection = new Connection(port);
  const answer = await connection.ask(bytes);
  connection.close();
  return answer;
}

function good(target: string, signed = signByHand({ secret: apiSecret, route: target })): string {
  return requestText("GET", target, [
    ["x-api-key", apiKey],
    ["Authorization", signed],
  ]);
}

/** Ways to make an `Authorization` header that is not valid for a target. */
const FORGERS: Record<
  string,
  (random: Random, target: string) => string | readonly [string, string]
> = {
  "random signature": (random) => `HMAC ${Date.now()}:${random.hex(64)}`,
  "other secret": (random, route) =>
    signByHand({
      secret: random.pick([
        apiKey,
        "test-secret",
        "prod-secret",
        "billing-secret",
        " ",
        random.hex(64),
      ]),
      route,
    }),
  "other method": (random, route) =>
    signByHand({
      secret: apiSecret,
      route,
      method: random.pick(["POST", "PUT", "DELETE", "get", "Get", "HEAD", ""]),
    }),
  "other target": (random, route) =>
    signByHand({
      secret: apiSecret,
      route: random.pick([`${route}/`, `/${route}`, `${route}?a`, "/healthz", "", route.slice(1)]),
    }),
  "other body": (random, route) =>
    signByHand({
      secret: apiSecret,
      route,
      bodyHash: md5(random.pick(["", "[]", "null", "{ }", random.hex(4)])),
    }),
  "too old": (random, route) =>
    signByHand({
      secret: apiSecret,
      route,
      timestamp: Date.now() - 301_000 - random.below(1_000_000_000),
    }),
  "too new": (random, route) =>
    signByHand({
      secret: apiSecret,
      route,
      timestamp: Date.now() + 120_000 + random.below(1_000_000_000),
    }),
  "other form of the time": (random, route) => {
    const now = String(Date.now());
    const forms = [
      `0${now}`,
      `+${now}`,
      `-${now}`,
      now.slice(0, 10),
      `${now}0`,
      `${now}.0`,
      `${now}n`,
      "NaN",
      "Infinity",
    ];
    return signByHand({
      secret: apiSecret,
      route,
      timestamp: random.pick([...forms, `${Number(now) / 1e12}e12`, "", "0"]),
    });
  },
  "changed text": (random, route) => change(signByHand({ secret: apiSecret, route }), random),
  "sent twice": (_random, route) => {
    const signed = signByHand({ secret: apiSecret, route });
    return [signed, signed];
  },
  "printable text": (random) => random.text(1 + random.below(200), PRINTABLE),
  "any bytes": (random) => random.text(1 + random.below(200), BYTES),
};
const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(
  "",
);
/** Without those that end a line. */
const BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
  .join("")
  .replace(/[\r\n]/g, "");

/**
 * Another form of a valid header. None differs only in blanks at its ends, which are no part of it.
 */
function change(signed: string, random: Random): string {
  const [, time = "", signature = ""] = /^HMAC (\d+):(\w+)$/.exec(signed) ?? [];
  const place = random.below(signed.length - 1);
  const forms = [
    signed.toLowerCase(),
    `HMAC ${time}:${signature.toUpperCase().replace(/^\d+$/, "A")}`,
    signed.replace(" ", random.pick(["", "  ", "\t", "%20", "+", "\u00a0", "_"])),
    signed.replace(":", random.pick(["", "::", " :", ": ", ";", "=", "%3A"])),
    signed.replace(
      "HMAC",
      random.pick(["Bearer", "Basic", "HMAC-SHA256", "HMAC,", "hMAC", "HMAC HMAC"]),
    ),
    `${signed}${random.pick(["0", ",", ";", ":", " x", `, ${signed}`, "=", "%00", "\u0000"])}`,
    `${random.pick(['"', "(", ",", "\ufeff", "x "])}${signed}`,
    `"${signed}"`,
    signed.slice(0, place + 1).trim(),
    signed.slice(0, place) + signed.slice(place + 1),
    `HMAC ${time}:${signature}${signature}`,
    `HMAC ${time}:${Buffer.from(signature, "hex").toString("base64")}`,
    `HMAC ${time}:${"0".repeat(64)}`,
  ];
  return random.pick(forms);
}

function* forged(count: number, random: Random): Generator<Forgery> {
  const kinds = Object.entries(FORGERS);
  for (let made = 0; made < count; made++) {
    const [kind, forge] = random.pick(kinds);
    const target = random.pick(TARGETS);
    const values = [forge(random, target)].flat() as string[];
    const headers: [string, string][] = values.map((value) => ["Authorization", value]);
    // Also without a key, and with that of another environment. Without one, the secret of any
    // environment is right.
    const key =
      kind === "other secret" ? apiKey : random.pick([apiKey, apiKey, undefined, "test-key"]);
    if (key !== undefined) headers.unshift(["x-api-key", key]);
    // The right secret does not rescue it.
    if (random.below(4) === 0) headers.push(["x-api-secret", apiSecret]);
    yield {
      change: `${kind}: ${headers.join(" ")}`,
      hasKey: key !== undefined,
      target,
      bytes: requestText("GET", target, headers),
    };
  }
}

/**
 * Every request that differs from a good one in one byte of its time, method, path, query or key.
 */
function* changedByOneByte(): Generator<Forgery> {
  for (const target of TARGETS) {
    const bytes = Buffer.from(good(target), "latin1");
    const parts = { line: `GET ${target}`, time: String(Date.now()).slice(0, 4), key: apiKey };
    for (const [name, text] of Object.entries(parts)) {
      const start = bytes.indexOf(text);
      const length = name === "time" ? 13 : text.length;
      for (let index = start; index < start + length; index++) {
        // The space between the method and the target.
        if (name === "line" && index === start + 3) continue;
        for (const mask of REPLACEMENTS) {
          // Signed for each: the time runs out meanwhile.
          const changed = Buffer.from(good(target), "latin1");
          changed[index] = (changed[index] ?? 0) ^ mask;
          const changedTarget = changed.toString("latin1", 4, 4 + target.length);
          const change = `byte ${index} of ${target}: ${JSON.stringify(changed.toString("latin1"))}`;
          yield {
            change,
            hasKey: true,
            target: name === "line" ? changedTarget : target,
            bytes: changed,
          };
        }
      }
    }
  }
}

describe("forged requests", () => {
  it("no generated Authorization header is let in", async () => {
    const { statuses, letIn } = await tryAll(forged(HEADERS, new Random(14)));
    report(
      "Forged `Authorization` headers",
      `${grouped(statuses.length)} generated`,
      `${letIn.length} let in; statuses: ${counts(statuses)}`,
    );
    expect(letIn.slice(0, 10)).toEqual([]);
  });

  it("no change of one byte of a good request is let in", async () => {
    const { statuses, letIn } = await tryAll(changedByOneByte());
    const done = `each of ${grouped(statuses.length)} changes of a byte of the time, method, path, query or key`;
    report("Good requests, changed", done, `${letIn.length} let in; statuses: ${counts(statuses)}`);
    expect(letIn.slice(0, 10)).toEqual([]);
  });
});
