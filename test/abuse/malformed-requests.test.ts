import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { type RawAnswer, requestText, takeAnswer } from "../support/connection.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { get, openSocket, receivedUntilClose } from "../support/http.js";
import { grouped, QUICK } from "../support/measuring.js";
import { Random } from "../support/random.js";
import { counts, report } from "../support/report.js";
import { serveProcess } from "../support/serve-process.js";

const REQUESTS = QUICK ? 1_500 : 10_000;
const PIPELINED = QUICK ? 1_000 : 10_000;
const CONNECTIONS = 50;
const AT_ONCE = 100;

const { apiKey, apiSecret } = DEVELOPMENT;
const KEYS: [string, string][] = [
  ["x-api-key", apiKey],
  ["x-api-secret", apiSecret],
];
const KEY_LINES = KEYS.map(([name, value]) => `${name}: ${value}\r\n`).join("");
/** No request of its own asks for it: only one that is hidden in the body of another does. */
const HIDDEN = "/v1/variables-values-by-name/DATABASE_URL/content";
const HIDDEN_VALUE = "postgres://localhost/dev";
const ASKED = "/v1/variables-values-by-name/PORT/content";
const ASKED_VALUE = '{"value":3000}';

const SMUGGLED = `GET ${HIDDEN} HTTP/1.1\r\nHost: a\r\n${KEY_LINES}\r\n`;
const CHUNKED = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

/**
 * Pairs of framing headers and a body that contains a request. A server must not take the body for
 * a request.
 */
const FRAMINGS: readonly (readonly [headers: string, body: string])[] = [
  [`Content-Length: ${SMUGGLED.length}\r\n`, SMUGGLED],
  ["Transfer-Encoding: chunked\r\n", CHUNKED],
  [`Content-Length: ${SMUGGLED.length}\r\nTransfer-Encoding: chunked\r\n`, CHUNKED],
  [`Transfer-Encoding: chunked\r\nContent-Length: 0\r\n`, CHUNKED],
  [`Content-Length: 0\r\nContent-Length: ${SMUGGLED.length}\r\n`, SMUGGLED],
  [`Content-Length: ${SMUGGLED.length}\r\nContent-Length: 0\r\n`, SMUGGLED],
  [`Content-Length: 0, ${SMUGGLED.length}\r\n`, SMUGGLED],
  [`Content-Length: +${SMUGGLED.length}\r\n`, SMUGGLED],
  [`Content-Length: 0x${SMUGGLED.length.toString(16)}\r\n`, SMUGGLED],
  [`Content-Length: -1\r\n`, SMUGGLED],
  [`Content-Length: ${SMUGGLED.length}.0\r\n`, SMUGGLED],
  [`Content-Length: ${"9".repeat(30)}\r\n`, SMUGGLED],
  [`Content-Length : ${SMUGGLED.length}\r\n`, SMUGGLED],
  [`Content-Length\t: ${SMUGGLED.length}\r\n`, SMUGGLED],
  [`X: y\r\n Content-Length: ${SMUGGLED.length}\r\n`, ""],
  ["Transfer-Encoding : chunked\r\n", CHUNKED],
  ["Transfer-Encoding: xchunked\r\n", CHUNKED],
  ["Transfer-Encoding: chunked, identity\r\n", CHUNKED],
  ["Transfer-Encoding: identity, chunked\r\n", CHUNKED],
  ["Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", CHUNKED],
  ["Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", CHUNKED],
  ["Transfer-Encoding:\u000bchunked\r\n", CHUNKED],
  ["Transfer-Encoding: \u0000chunked\r\n", CHUNKED],
  ["Transfer-Encoding: chunked\r\n", `0\n\n${SMUGGLED}`],
  ["Transfer-Encoding: chunked\r\n", `0;a=\n\r\n\r\n${SMUGGLED}`],
  ["Transfer-Encoding: chunked\r\n", `ffffffffffffffff\r\n${SMUGGLED}`],
  ["Transfer-Encoding: chunked\r\n", `-1\r\n${SMUGGLED}`],
  [
    "Transfer-Encoding: chunked\r\n",
    `${CHUNKED.slice(0, -4)}X-Trailer: ${"x".repeat(20_000)}\r\n\r\n`,
  ],
  ["Expect: 100-continue\r\nContent-Length: 10\r\n", ""],
  [
    `Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: ${SMUGGLED.length}\r\n`,
    SMUGGLED,
  ],
];

const SHAPES: Record<string, (random: Random) => string> = {
  "smuggled request": (random) => {
    const [headers, body] = random.pick(FRAMINGS);
    const method = random.pick(["GET", "GET", "POST", "HEAD", "PUT"]);
    return `${method} ${ASKED} HTTP/1.1\r\nHost: a\r\n${KEY_LINES}${headers}\r\n${body}`;
  },
  "absolute target": (random) =>
    requestText(
      "GET",
      `${random.pick(["http://u@evil", "http://", "http:", "https://a:1", "ftp://a", "//evil", "///", "\\\\evil\\"])}${HIDDEN}`,
      KEYS,
    ),
  "bad target": (random) =>
    requestText(
      "GET",
      random.pick([
        "*",
        "",
        " ",
        "a",
        "?",
        "#",
        `#${HIDDEN}`,
        `${ASKED}#x`,
        "/../..",
        "/v1/../v1/variables",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/v1//variables",
        "/;/v1/variables",
      ]),
      KEYS,
    ),
  "bad percent-encoding": (random) =>
    requestText(
      "GET",
      `/v1/variables-values-by-name/${random.pick(["%", "%2", "%zz", "%ff", "%c0%af", "%ed%a0%80", "%00", "%u0041", "%25%32%35", "%e2%82"])}${random.hex(4)}`,
      KEYS,
    ),
  "control characters": (random) =>
    requestText(
      "GET",
      `${ASKED}${random.pick(["\0", "\x01", "\t", "\x7f", "\x80", "\xff", "\r", "\n", "\v"])}`,
      random.below(2) === 0 ? KEYS : [...KEYS, ["X", `\0${random.hex(3)}`]],
    ),
  "long target": (random) =>
    requestText("GET", `${ASKED}?${"x".repeat(8_000 + random.below(12_000))}`, KEYS),
  "many headers": (random) =>
    requestText("GET", ASKED, [
      ...KEYS,
      ...Array.from({ length: 190 + random.below(1_000) }, (_, index): [string, string] => [
        `x${index}`,
        "y",
      ]),
    ]),
  "repeated headers": (random) =>
    requestText(
      "GET",
      HIDDEN,
      random.shuffle([
        ["x-api-key", "billing-key"],
        ...KEYS,
        ["x-api-secret", "billing-secret"],
        ["Host", "b"],
      ] as [string, string][]),
    ),
  "body of a GET": (random) =>
    `GET ${ASKED} HTTP/1.1\r\nHost: a\r\n${KEY_LINES}Content-Length: ${SMUGGLED.length * 50}\r\n\r\n${SMUGGLED.repeat(1 + random.below(50))}`,
  "bad request line": (random) =>
    `${random.pick(["GET", "get", "GE\0T", "G", "PRI *", "\x16\x03\x01", "CONNECT", "TRACE", "G".repeat(5_000)])}${random.pick([" ", "  ", "\t", ""])}${ASKED}${random.pick([" ", "  ", ""])}${random.pick(["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/0.9", "HTTP/1.10", "http/1.1", "", "HTTP/1.1 x"])}\r\nHost: a\r\n${KEY_LINES}\r\n`,
  "bad line ends": (random) =>
    requestText("GET", ASKED, KEYS).replaceAll(
      "\r\n",
      random.pick(["\n", "\r", "\r\r\n", "\n\r", " \r\n", "\r\n\r\n"]),
    ),
  "bad host": (random) =>
    `GET ${ASKED} HTTP/1.1\r\n${random.pick(["", "Host:\r\n", "Host: a\r\nHost: b\r\n", "Host: a b\r\n", "Host: \0\r\n", " Host: a\r\n"])}${KEY_LINES}\r\n`,
  "any bytes": (random) =>
    random.text(
      1 + random.below(2_000),
      Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join(""),
    ),
  "damaged request": (random) => {
    const text = requestText("GET", ASKED, KEYS);
    const place = random.below(text.length);
    return random.pick([
      text.slice(0, place),
      text.slice(place),
      `${text.slice(0, place)}${String.fromCharCode(random.below(256))}${text.slice(place + random.below(3))}`,
    ]);
  },
};

async function exchange(port: number, bytes: string): Promise<RawAnswer[]> {
  const socket = await openSocket({ port });
  const received = receivedUntilClose(socket);
  // The server answers open requests, and ends its side too.
  socket.end(bytes, "latin1");
  const answers: RawAnswer[] = [];
  // No answer to HEAD has a body; that of an error would be at the end anyway.
  const isHead = bytes.startsWith("HEAD ");
  for (
    let taken = takeAnswer(await received, isHead);
    taken;
    taken = takeAnswer(taken.rest, isHead)
  )
    answers.push(taken.answer);
  return answers;
}

/** Sends requests on one connection, as many at a time as may wait there. */
async function pipeline(port: number, requests: readonly string[]): Promise<RawAnswer[]> {
  const socket = await openSocket({ port });
  let received = "";
  socket.setEncoding("latin1").on("data", (text) => {
    received += text;
  });
  const answers: RawAnswer[] = [];
  for (let sent = 0; sent < requests.length; sent += AT_ONCE) {
    const group = requests.slice(sent, sent + AT_ONCE);
    socket.write(group.join(""));
    while (answers.length < sent + group.length) {
      const taken = takeAnswer(received);
      if (taken) [received] = [taken.rest, answers.push(taken.answer)];
      else await once(socket, "data");
    }
  }
  socket.destroy();
  return answers;
}

async function server() {
  const { path } = await dataFile(DATA);
  return serveProcess(["--data", path, "--rate-limit", "0"]);
}

describe("malformed requests", () => {
  it("no malformed request crashes the server, or gets an answer to another request", async () => {
    const { port, log, stop } = await server();
    const random = new Random(4);
    const statuses: number[] = [];
    const wrong: string[] = [];
    const honest: unknown[] = [];
    let left = REQUESTS;
    const work = async () => {
      while (left-- > 0) {
        const [kind, make] = random.pick(Object.entries(SHAPES));
        const bytes = make(random);
        const answers = await exchange(port, bytes);
        statuses.push(...answers.map(({ status }) => status));
        const isWrong = ({ status, body }: RawAnswer) =>
          status >= 500 ||
          body.includes(HIDDEN_VALUE) ||
          (status === 200 && kind !== "damaged request" && ![ASKED_VALUE, ""].includes(body));
        if (answers.some(isWrong))
          wrong.push(`${kind}: ${JSON.stringify(bytes.slice(0, 400))}: ${JSON.stringify(answers)}`);
        if (left % 100 === 0) honest.push((await get({ port }, ASKED)).json);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    report(
      "Malformed requests",
      `${grouped(REQUESTS)} of ${Object.keys(SHAPES).length} kinds over raw sockets`,
      `${wrong.length} answered with 5xx or another name; statuses: ${counts(statuses)}`,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(new Set(honest.map((each) => JSON.stringify(each)))).toEqual(new Set([ASKED_VALUE]));
    expect(log()).not.toMatch(/error|at .*\(/i);
    expect(await stop()).toBe(0);
  });

  it("pipelined requests are answered in order, each with its own value", async () => {
    const { port, log, stop } = await server();
    const names = ["PORT", "DEBUG", "DATABASE_URL", "EMPTY"];
    const bodies = [
      '{"value":3000}',
      '{"value":true}',
      `{"value":"${HIDDEN_VALUE}"}`,
      '{"value":""}',
    ];
    const one = (index: number) =>
      requestText(
        "GET",
        `/v1/variables-values-by-name/${names[index % names.length]}/content`,
        KEYS,
      );
    const all = Array.from({ length: PIPELINED }, (_, index) => one(index));
    const answers = await Promise.all(Array.from({ length: 8 }, () => pipeline(port, all)));
    report(
      "Pipelined requests",
      `${grouped(PIPELINED)} on each of 8 connections, ${AT_ONCE} at a time`,
      `${grouped(answers.flat().length)} answers, in order`,
    );
    for (const each of answers) {
      expect(each).toHaveLength(PIPELINED);
      expect(each.map(({ body }) => body)).toEqual(
        each.map((_, index) => bodies[index % bodies.length]),
      );
    }
    expect((await get({ port }, ASKED)).json).toEqual({ value: 3000 });
    expect(log()).not.toMatch(/error/i);
    expect(await stop()).toBe(0);
  });
});
