import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { ServerError, UnauthorizedError, UnreachableError } from "../../src/domain/errors.js";
import { CompactedError } from "../../src/etcd/answers.js";
import { Gateway, type GatewayOptions, UncertainError } from "../../src/etcd/gateway.js";
import { httpPeer, tcpPeer, unusedPort } from "../client/peer.js";

const SECRET = "t0p-s3cr3t";
const KEY = "/s/head";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const HEADER = { cluster_id: "7", revision: "9" };
const kv = (key = KEY, mod_revision: unknown = "8") => ({ key: base64(key), value: base64("text"), mod_revision });

/** The key as it is, and transactions that are made. */
const GOOD = { header: HEADER, kvs: [kv()], succeeded: true };
const ENTRY = { key: KEY, value: Buffer.from("text"), modRevision: 8 };
const WRITE = { compare: [{ key: KEY, modRevision: 8 }], puts: [{ key: KEY, value: Buffer.from("x") }], deletes: [] };

/** Each request is made once, unless others are given. */
const TIMES = { attempt: 150, request: 1 };

function gatewayTo(ports: readonly number[], options: Partial<GatewayOptions> = {}): Gateway {
  const endpoints = ports.map((port) => `http://127.0.0.1:${port}`);
  const gateway = new Gateway({ endpoints, times: TIMES, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** A server that gives these answers, and then repeats the last one. @returns also the requests it received */
async function member(...answers: readonly ((res: ServerResponse, req: IncomingMessage) => void)[]) {
  const asked: { path: string | undefined; body: unknown; authorization: string | undefined }[] = [];
  const { port } = await httpPeer(async (req, res) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push({ path: req.url, body: await json(req), authorization: req.headers.authorization });
    answer?.(res, req);
  });
  return { port, asked };
}

const sends = (body: unknown, status = 200) => {
  return (res: ServerResponse) => {
    res.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));
  };
};
const good = () => member(sends(GOOD));

const range = (gateway: Gateway) => gateway.range({ key: KEY });

type Failure = [failure: string, port: () => Promise<number>, reason: string | RegExp];

const answering = (body: unknown, status?: number) => async () => (await member(sends(body, status))).port;
const writing = (text: string) => async () => (await tcpPeer((socket) => socket.write(text))).port;
const NOT_ETCD = "is it the HTTP gateway of etcd 3.4 or newer?";

function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 10);
  socket.once("close", () => clearInterval(timer));
}

function flood(stream: Writable, text: string): void {
  const more = () => {
    while (!stream.destroyed && stream.write(text));
  };
  stream.on("drain", more);
  more();
}

const OK = "HTTP/1.1 200 OK\r\n";

/** Failures of a member to answer. */
const FAILURES: Failure[] = [
  ["it says nothing", async () => (await tcpPeer(() => {})).port, "no answer within"],
  ["it closes the connection", async () => (await tcpPeer((socket) => socket.end())).port, "the connection was reset"],
  ["it resets the connection", async () => (await tcpPeer((socket) => socket.resetAndDestroy())).port, "reset"],
  ["it speaks another protocol", writing("SSH-2.0-OpenSSH_9.2\r\n"), "it does not answer with HTTP"],
  [
    "it switches protocols",
    writing("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    "it switches to another protocol",
  ],
  [
    "it never ends its provisional answers",
    async () => (await tcpPeer((socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n"))).port,
    "no answer within",
  ],
  ["its headers are slow", async () => (await tcpPeer((socket) => drip(socket, "H"))).port, /HTTP|no answer within/],
  [
    "its headers never end",
    async () => (await tcpPeer((socket) => flood(socket, `${OK}${"a: b\r\n".repeat(1_000)}`))).port,
    "it does not answer with HTTP",
  ],
  [
    "its answer never ends",
    async () =>
      (
        await tcpPeer((socket) => {
          socket.write(`${OK}\r\n`);
          flood(socket, " ".repeat(1_000_000));
        })
      ).port,
    "its answer is too large",
  ],
  ["half of its answer is missing", writing(`${OK}Content-Length: 100\r\n\r\n{"header":`), "no answer within"],
  [
    "it closes the connection in its answer",
    async () => (await tcpPeer((socket) => socket.end(`${OK}Content-Length: 100\r\n\r\n{"header":`))).port,
    "the connection was reset",
  ],
  ["it is a website", answering("<html>Not etcd</html>"), `its answer is not JSON; ${NOT_ETCD}`],
  ["it is too old", answering("404 page not found\n", 404), `its answer is not JSON; ${NOT_ETCD}`],
  ["it fails with a page", answering(`<html>${SECRET}</html>`, 500), "it answers 500"],
  ["it fails with JSON", answering({ error: SECRET, message: SECRET, code: 13 }, 500), "it refuses the request"],
  ["it has no leader", answering({ message: "etcdserver: no leader", code: 14 }, 503), "etcdserver: no leader"],
  ["it fails in another form", answering({ code: [], message: {} }, 400), "its answer has a wrong number"],
  [
    "it redirects",
    async () => (await member((res) => res.writeHead(302, { Location: "/elsewhere" }).end())).port,
    "its answer is not JSON",
  ],
  ...[null, [], 1, SECRET, {}, { header: null }].map(
    (body): Failure => [
      `it answers ${JSON.stringify(body)}`,
      answering(JSON.stringify(body)),
      "its answer is incomplete",
    ],
  ),
  ["it does not name the cluster", answering({ header: { revision: "9" } }), "its answer has no text"],
  ["it names no revision", answering({ header: { cluster_id: "7" } }), "its answer has no revision"],
  ...["0x10", "1e3", " 9", "-1", "9007199254740993", 1e300, -1, 1.5, true, null, [9], ""].map(
    (revision): Failure => [
      `it has the revision ${JSON.stringify(revision)}`,
      answering({ header: { ...HEADER, revision } }),
      "its answer has a wrong number",
    ],
  ),
];

/** Invalid answers to a request for keys. */
const WRONG_KEYS: Failure[] = [
  ["keys that are no list", answering({ ...GOOD, kvs: { length: 1 } }), "its answer has no list"],
  ["a key that is none", answering({ ...GOOD, kvs: [null] }), "its answer is incomplete"],
  ["a key without its name", answering({ ...GOOD, kvs: [{ mod_revision: "8" }] }), "its answer has no text"],
  ["a value that is none", answering({ ...GOOD, kvs: [{ ...kv(), value: 1 }] }), "its answer has no text"],
  ["a key without its revision", answering({ ...GOOD, kvs: [{ key: base64(KEY) }] }), "its answer has no revision"],
  ["a key of the future", answering({ ...GOOD, kvs: [kv(KEY, "10")] }), "its answer has other keys than those asked"],
  ["another key", answering({ ...GOOD, kvs: [kv("/s/values/1")] }), "its answer has other keys than those asked for"],
  ["a key twice", answering({ ...GOOD, kvs: [kv(), kv()] }), "its answer has other keys than those asked for"],
  ["an empty page", answering({ header: HEADER, more: true }), "its answer is an empty page"],
];

describe("a member that fails", () => {
  it.each(FAILURES)("a failed read gives the reason, and goes to the next member: %s", async (_what, start, reason) => {
    const port = await start();
    const error: Error = await range(gatewayTo([port])).catch((caught) => caught);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error.message).toMatch(/^no member of the store answers: http:\/\/127\.0\.0\.1:\d+ \(.*\)$/);
    if (typeof reason === "string") expect(error.message).toContain(reason);
    else expect(error.message).toMatch(reason);
    expect(error.message).not.toContain(SECRET);

    const both = gatewayTo([port, (await good()).port], { times: { ...TIMES, request: 2_000 } });
    expect(await range(both)).toMatchObject({ clusterId: "7", revision: 9, entries: [ENTRY] });
    // From now on, it goes to that one first.
    expect(both.endpoint).not.toContain(`${port}`);
  });

  it.each(WRONG_KEYS)("a read of keys goes to the next member for %s", async (_what, start, reason) => {
    const port = await start();
    await expect(range(gatewayTo([port]))).rejects.toThrow(reason);
    const both = gatewayTo([port, (await good()).port], { times: { ...TIMES, request: 2_000 } });
    expect((await range(both)).entries).toEqual([ENTRY]);
  });

  it.each(FAILURES)("a write has an unknown outcome, and is not sent again: %s", async (_what, start) => {
    const { port, asked } = await good();
    const gateway = gatewayTo([await start(), port], { times: { ...TIMES, request: 2_000 } });
    const error: Error = await gateway.commit(WRITE).catch((caught) => caught);
    expect(error).toBeInstanceOf(UncertainError);
    expect(error.message).not.toContain(SECRET);
    expect(asked).toEqual([]);
    // The next request goes to the next member.
    expect(await gateway.commit(WRITE)).toEqual({ succeeded: true, revision: 9 });
  });

  it("a write has an unknown outcome if its revision is older than the one it is based on", async () => {
    const { port } = await member(sends({ header: { ...HEADER, revision: "8" }, succeeded: true }));
    await expect(gatewayTo([port]).commit(WRITE)).rejects.toThrow(UncertainError);
  });

  it("an answer that comes byte by byte ends", async () => {
    const { port } = await tcpPeer((socket) => {
      socket.write(`${OK}\r\n`);
      drip(socket, " ");
    });
    await expect(range(gatewayTo([port], { times: { attempt: 20, request: 1 } }))).rejects.toThrow("no answer within");
  });
});

describe("a member that is slow", () => {
  it("a large request has more time than a small one", async () => {
    const held: ServerResponse[] = [];
    const { port } = await member((res) => void held.push(res));
    const large = { ...WRITE, puts: [{ key: KEY, value: Buffer.alloc(1_000_000) }] };
    const written = gatewayTo([port]).commit(large);
    await expect.poll(() => held).toHaveLength(1);
    await expect(gatewayTo([port]).commit(WRITE)).rejects.toThrow("no answer within");
    for (const res of held) res.end(JSON.stringify(GOOD));
    expect(await written).toEqual({ succeeded: true, revision: 9 });
  });
});

describe("members that don't listen", () => {
  it("a write is sent to the next member if it was certainly not sent", async () => {
    const { port, asked } = await good();
    const gateway = gatewayTo([await unusedPort(), await unusedPort(), port], { times: { ...TIMES, request: 2_000 } });
    expect(await gateway.commit(WRITE)).toEqual({ succeeded: true, revision: 9 });
    expect(asked).toMatchObject([{ path: "/v3/kv/txn" }]);
  });

  it("a write that could not be sent fails, and names each member", async () => {
    const [one, other] = [await unusedPort(), await unusedPort()];
    const error: Error = await gatewayTo([one, other])
      .commit(WRITE)
      .catch((caught) => caught);
    expect(error).not.toBeInstanceOf(UncertainError);
    expect(error).toMatchObject({
      code: "unreachable",
      message:
        `no member of the store answers: http://127.0.0.1:${one} (connection refused), ` +
        `http://127.0.0.1:${other} (connection refused)`,
    });
  });
});

describe("a request that etcd refuses", () => {
  it.each([
    [{ code: 3, message: "etcdserver: user name is empty" }, 400, UnauthorizedError, "APPVARS_STORE_USER"],
    [{ code: 7, message: "etcdserver: permission denied" }, 403, UnauthorizedError, "does not let this user"],
    [{ code: 9, message: "etcdserver: authentication is not enabled" }, 400, UnauthorizedError, "has no users"],
    [{ code: 3, message: "etcdserver: request is too large" }, 400, ServerError, "etcdserver: request is too large"],
    [{ code: 12, message: SECRET }, 501, ServerError, "the store refuses the request: it refuses the request"],
    [
      { code: 11, message: "etcdserver: mvcc: required revision has been compacted" },
      400,
      CompactedError,
      "this revision of the data is no longer kept",
    ],
  ])("a request that is refused is not tried again: %j", async (body, status, type, message) => {
    for (const run of [range, (gateway: Gateway) => gateway.commit(WRITE)]) {
      const { port, asked } = await member(sends(body, status));
      const error: Error = await run(gatewayTo([port, (await good()).port])).catch((caught) => caught);
      expect(error).toBeInstanceOf(type);
      expect(error).not.toBeInstanceOf(UncertainError);
      expect(error.message).toContain(message);
      expect(error.message).not.toContain(SECRET);
      expect(asked).toHaveLength(1);
    }
  });
});

describe("reading page by page", () => {
  it("a smaller page is asked for while one is too large", async () => {
    const flooding = (res: ServerResponse) => {
      res.writeHead(200);
      flood(res, " ".repeat(1_000_000));
    };
    const { port, asked } = await member(flooding, flooding, sends({ ...GOOD, more: true }));
    const gateway = gatewayTo([port], { times: { attempt: 5_000, request: 10_000 } });
    expect(await gateway.range({ key: "/s/", end: "/s0", limit: 101 })).toMatchObject({ hasMore: true });
    expect(asked.map(({ body }) => (body as { limit: number }).limit)).toEqual([101, 11, 2]);
  });
});

describe("a login", () => {
  const options = { user: "someone", password: SECRET, times: { ...TIMES, request: 2_000 } };
  const token = (text: unknown) => sends({ header: HEADER, token: text });
  const invalidToken = sends({ code: 16, message: "etcdserver: invalid auth token" }, 401);

  it("a token is used until it is refused, and asked for again then", async () => {
    const { port, asked } = await member(
      token("one"),
      sends(GOOD),
      sends(GOOD),
      invalidToken,
      token("two"),
      sends(GOOD),
    );
    const gateway = gatewayTo([port], options);
    for (let reads = 0; reads < 3; reads++) await range(gateway);
    expect(asked.map(({ path }) => path?.slice("/v3/".length))).toEqual([
      "auth/authenticate",
      "kv/range",
      "kv/range",
      "kv/range",
      "auth/authenticate",
      "kv/range",
    ]);
    expect(asked.map(({ authorization }) => authorization)).toEqual([undefined, "one", "one", "one", undefined, "two"]);
    expect(asked[0]?.body).toEqual({ name: "someone", password: SECRET });
  });

  it("a token is asked for again however long no member answered before", async () => {
    const { port } = await member(
      token("one"),
      ...Array(5).fill(sends("", 503)),
      invalidToken,
      token("two"),
      sends(GOOD),
    );
    expect(await range(gatewayTo([port], options))).toMatchObject({ entries: [ENTRY] });
  });

  it("a token that gets no answer is not used again", async () => {
    // A cluster that was restored from a backup does not answer those with a token of a later revision.
    const { port, asked } = await member(token("one"), () => {}, token("two"), sends(GOOD));
    const gateway = gatewayTo([port], { ...options, times: TIMES });
    await expect(range(gateway)).rejects.toThrow("no answer within");
    expect(await range(gateway)).toMatchObject({ entries: [ENTRY] });
    expect(asked.map(({ authorization }) => authorization)).toEqual([undefined, "one", undefined, "two"]);
  });

  it("a token that is refused each time ends in an error", async () => {
    const { port, asked } = await member((res, req) => (req.url?.includes("auth") ? token("one") : invalidToken)(res));
    await expect(range(gatewayTo([port], options))).rejects.toThrow(UnauthorizedError);
    expect(asked.length).toBeLessThan(10);
  });

  it("a write is not sent while the login fails", async () => {
    const { port, asked } = await member(sends("", 500));
    const error: Error = await gatewayTo([port], { ...options, times: TIMES })
      .commit(WRITE)
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).not.toBeInstanceOf(UncertainError);
    expect(asked.every(({ path }) => path === "/v3/auth/authenticate")).toBe(true);
  });

  it.each([undefined, "", "two words", "line\r\nX-Forged: yes", "é", "x".repeat(10_000)])(
    "a token that can't be one is refused: %j",
    async (text) => {
      const { port } = await member(token(text));
      await expect(range(gatewayTo([port], { ...options, times: TIMES }))).rejects.toThrow(/its answer has no/);
    },
  );
});

describe("a watch", () => {
  const watching = async (...lines: readonly unknown[]) => {
    const { port } = await member((res) => {
      res.writeHead(200);
      for (const line of lines) res.write(`${JSON.stringify(line)}\n`);
    });
    const { signal } = new AbortController();
    return gatewayTo([port]).watch({ key: "/s/", end: "/s0", from: 5, clusterId: "7" }, signal);
  };
  const result = (fields: object) => ({ result: { header: HEADER, ...fields } });

  it("a watch delivers changes as they come", async () => {
    const events = [{ kv: kv() }, { type: "DELETE", kv: { ...kv("/s/values/1", "9"), value: undefined } }];
    const changes = await watching(result({ created: true }), result({ events }));
    expect((await changes.next()).value).toEqual([]);
    expect((await changes.next()).value).toEqual([ENTRY, { key: "/s/values/1", value: undefined, modRevision: 9 }]);
  });

  it.each<[string, unknown, string | RegExp]>([
    ["it is canceled", result({ canceled: true, cancel_reason: SECRET }), "it ends the watch"],
    ["its history is gone", result({ canceled: true, compact_revision: "8" }), "no longer kept"],
    ["it fails", { error: { grpc_code: 14, message: SECRET } }, "it refuses the request"],
    ["a line is not JSON", SECRET, "its answer is incomplete"],
    ["it is of another cluster", { result: { header: { ...HEADER, cluster_id: "8" } } }, "it is of another cluster"],
    [
      "it has other keys",
      result({ events: [{ kv: kv("/t/head") }] }),
      "its answer has other keys than those asked for",
    ],
    ["an event is of an unknown type", result({ events: [{ type: "MOVE", kv: kv() }] }), "an event of an unknown type"],
    ["an event is none", result({ events: [{}] }), "its answer is incomplete"],
    ["it has no header", { result: { events: [] } }, "its answer is incomplete"],
  ])("a watch ends in an error: %s", async (_what, line, reason) => {
    const error: Error = await (await watching(line)).next().catch((caught) => caught);
    expect(error.message).toMatch(reason);
    expect(error.message).not.toContain(SECRET);
  });

  it("a watch that does not begin is given up", async () => {
    const gateway = gatewayTo([(await tcpPeer(() => {})).port]);
    const changes = gateway.watch({ key: "/s/", end: "/s0", from: 5, clusterId: "7" }, new AbortController().signal);
    await expect(changes.next()).rejects.toThrow("no answer within");
  });
});
