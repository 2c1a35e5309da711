import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { json } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Gateway, UncertainError } from "../../src/etcd/gateway.js";
import type { GatewayOptions } from "../../src/etcd/member-client.js";
import { ServerError, UnauthorizedError, UnreachableError } from "../../src/kit/text/errors.js";
import { httpPeer, tcpPeer, unusedPort } from "../client/peer.js";

const SECRET = "t0p-s3cr3t";
const KEY = "/s/head";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const HEADER = { cluster_id: "7", revision: "9" };
const kv = (key = KEY, mod_revision: unknown = "8") => ({
  key: base64(key),
  value: base64("text"),
  mod_revision,
});

const ranges = (...found: readonly unknown[]) => ({
  header: HEADER,
  succeeded: true,
  responses: found.map((range) => ({ response_range: range })),
});
/** The key as it is, and transactions that are made. */
const GOOD = ranges({ kvs: [kv()] });
/** A transaction that is refused, and the keys of its conditions. */
const refused = (...found: readonly unknown[]) => sends({ ...ranges(...found), succeeded: false });
const ENTRY = { key: KEY, value: Buffer.from("text"), modRevision: 8 };
const WRITE = {
  conditions: [{ key: KEY, modRevision: 8 }],
  puts: [{ key: KEY, value: Buffer.from("x") }],
  deletes: [],
};

/** Each request is made once, unless others are given. */
const TIMES = { attempt: 400, request: 1 };

function gatewayTo(ports: readonly number[], options: Partial<GatewayOptions> = {}): Gateway {
  const endpoints = ports.map((port) => `http://127.0.0.1:${port}`);
  const gateway = new Gateway({ endpoints, times: TIMES, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

/**
 * A server that gives these answers, and then repeats the last one.
 *
 * @returns also the requests it received
 */
async function member(
  ...answers: readonly ((res: ServerResponse, req: IncomingMessage) => void)[]
) {
  // biome-ignore lint/suspicious/noExplicitAny: requests of several forms
  const asked: { path: string | undefined; body: any; authorization: string | undefined }[] = [];
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

const answering = (body: unknown, status?: number) => async () =>
  (await member(sends(body, status))).port;
const tcp = (answer: (socket: Socket) => void) => async () => (await tcpPeer(answer)).port;
const writing = (text: string) => tcp((socket) => socket.write(text));
const flooding = (start: string, more: string) =>
  tcp((socket) => {
    socket.write(start);
    flood(socket, more);
  });
const NOT_ETCD = "is it the HTTP gateway of etcd 3.4 or newer?";
const OTHER_FORM = `its answer has an unexpected form; ${NOT_ETCD}`;

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
const HALF = `${OK}Content-Length: 100\r\n\r\n{"header":`;
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const SWITCH = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n";

/** Failures of a member to answer. */
const FAILURES: Failure[] = [
  ["it says nothing", tcp(() => {}), "no answer within"],
  ["it closes the connection", tcp((socket) => socket.end()), "the connection was reset"],
  [
    "it resets the connection",
    tcp((socket) => socket.resetAndDestroy()),
    "the connection was reset",
  ],
  [
    "it speaks another protocol",
    writing("SSH-2.0-OpenSSH_9.2\r\n"),
    "it does not answer with HTTP",
  ],
  ["it switches protocols", writing(`${SWITCH}Upgrade: x\r\n\r\n`), "it does not answer with HTTP"],
  [
    "it never ends its provisional answers",
    tcp((socket) => drip(socket, CONTINUE)),
    "no answer within",
  ],
  ["its headers are slow", tcp((socket) => drip(socket, "H")), /HTTP|no answer within/],
  ["its headers never end", flooding(OK, "a: b\r\n".repeat(1_000)), "it sends too many headers"],
  [
    "its answer never ends",
    flooding(`${OK}\r\n`, " ".repeat(1_000_000)),
    "its answer is too large",
  ],
  ["half of its answer is missing", writing(HALF), "no answer within"],
  [
    "it closes the connection in its answer",
    tcp((socket) => socket.end(HALF)),
    "the connection was reset",
  ],
  ["it is a website", answering("<html>Not etcd</html>"), `its answer is not JSON; ${NOT_ETCD}`],
  ["it is too old", answering("404 page not found\n", 404), `its answer is not JSON; ${NOT_ETCD}`],
  ["it fails with a page", answering(`<html>${SECRET}</html>`, 500), "it answers 500"],
  [
    "it fails with JSON",
    answering({ error: SECRET, message: SECRET, code: 13 }, 500),
    "it refuses the request",
  ],
  [
    "it has no leader",
    answering({ message: "etcdserver: no leader", code: 14 }, 503),
    "etcdserver: no leader",
  ],
  ["it fails in another form", answering({ code: [], message: {} }, 400), OTHER_FORM],
  ["it redirects", answering("", 302), "its answer is not JSON"],
  ...[
    ...[
      null,
      [],
      1,
      SECRET,
      {},
      { header: null },
      { header: { revision: "9" } },
      { header: { cluster_id: "7" } },
    ],
    ...[
      "0x10",
      "1e3",
      " 9",
      "-1",
      "0",
      "9007199254740993",
      1e300,
      -1,
      1.5,
      true,
      null,
      [9],
      "",
    ].map((revision) => ({
      header: { ...HEADER, revision },
    })),
  ].map(
    (body): Failure => [
      `it answers ${JSON.stringify(body)}`,
      answering(JSON.stringify(body)),
      OTHER_FORM,
    ],
  ),
];

/** Invalid answers to a request for keys. */
const WRONG_KEYS = [
  ["keys that are no list", { kvs: { length: 1 } }],
  ["a key that is none", { kvs: [null] }],
  ["a key without its name", { kvs: [{ mod_revision: "8" }] }],
  ["a value that is none", { kvs: [{ ...kv(), value: 1 }] }],
  ["a key without its revision", { kvs: [{ key: base64(KEY) }] }],
] as const;

describe("a member that fails", () => {
  it.each(FAILURES)(
    "a failed read gives the reason, and goes to the next member: %s",
    async (_what, start, reason) => {
      const port = await start();
      const error: Error = await range(gatewayTo([port])).catch((caught) => caught);
      expect(error).toBeInstanceOf(UnreachableError);
      expect(error.message).toMatch(
        /^no member of the store answers: http:\/\/127\.0\.0\.1:\d+ \(.*\)$/,
      );
      if (typeof reason === "string") expect(error.message).toContain(reason);
      else expect(error.message).toMatch(reason);
      expect(error.message).not.toContain(SECRET);

      const both = gatewayTo([port, (await good()).port], { times: { ...TIMES, request: 2_000 } });
      expect(await both.ranges([{ key: KEY }])).toMatchObject({
        clusterId: "7",
        ranges: [[ENTRY]],
      });
      // From now on, it goes to that one first.
      expect(both.endpoint).not.toContain(`${port}`);
    },
  );

  it.each(WRONG_KEYS)("a read of keys goes to the next member for %s", async (_what, found) => {
    const { port } = await member(sends(ranges(found)));
    await expect(range(gatewayTo([port]))).rejects.toThrow(OTHER_FORM);
    const both = gatewayTo([port, (await good()).port], { times: { ...TIMES, request: 2_000 } });
    expect(await range(both)).toEqual([ENTRY]);
  });

  it.each(FAILURES)(
    "a write has an unknown outcome, and goes to the next member: %s",
    async (_what, start) => {
      const failing = await start();
      const error: Error = await gatewayTo([failing])
        .commit(WRITE, 1)
        .catch((caught) => caught);
      expect(error).toBeInstanceOf(UncertainError);
      expect(error.message).not.toContain(SECRET);

      const { port, asked } = await good();
      expect(await gatewayTo([failing, port]).commit(WRITE)).toBe(9);
      expect(asked).toHaveLength(1);
    },
  );

  it("a refused write was made if the key of its condition has its bytes", async () => {
    for (const lost of [[], [(res: ServerResponse) => res.destroy()]]) {
      const made = await member(
        ...lost,
        refused({ kvs: [{ ...kv(KEY, "7"), value: base64("x") }] }),
      );
      expect(await gatewayTo([made.port]).commit(WRITE)).toBe(7);
      for (const kvs of [
        undefined,
        [kv(KEY, "7")],
        [{ ...kv("/s/other", "9"), value: base64("x") }],
      ]) {
        const other = await member(...lost, refused({ kvs }));
        const onRefusedRetry = vi.fn();
        expect(await gatewayTo([other.port]).commit({ ...WRITE, onRefusedRetry })).toBeUndefined();
        expect(onRefusedRetry).toHaveBeenCalledTimes(lost.length);
      }
    }
  });

  it("a write is sent again only while no other condition fails than those that will hold again", async () => {
    const obstacle = "another writer has the turn";
    const write = {
      ...WRITE,
      conditions: [...WRITE.conditions, { key: "/s/turn", modRevision: 0, obstacle }],
    };
    const waits = refused({ kvs: [kv()] }, { kvs: [kv("/s/turn")] });
    const { port, asked } = await member(waits, waits, sends(GOOD));
    expect(await gatewayTo([port]).commit(write)).toBe(9);
    expect(asked).toHaveLength(3);
    expect(asked[0]?.body.failure).toEqual(
      [KEY, "/s/turn"].map((key) => ({ request_range: { key: base64(key) } })),
    );

    const other = await member(refused({ kvs: [kv(KEY, "9")] }, { kvs: [kv("/s/turn")] }));
    expect(await gatewayTo([other.port]).commit(write)).toBeUndefined();
    const never = gatewayTo([(await member(waits)).port]).commit(write, 1);
    await expect(never).rejects.toThrow(UncertainError);
    await expect(never).rejects.toThrow(obstacle);
  });

  it.each([[[]], [[{}, {}]]])(
    "an answer to another transaction is no answer: %j",
    async (responses) => {
      for (const succeeded of [true, false]) {
        const gateway = gatewayTo([
          (await member(sends({ header: HEADER, succeeded, responses }))).port,
        ]);
        await expect(range(gateway)).rejects.toThrow(OTHER_FORM);
        await expect(gateway.commit(WRITE, 1)).rejects.toThrow(UncertainError);
      }
    },
  );

  it("an answer that comes byte by byte ends", async () => {
    const { port } = await tcpPeer((socket) => {
      socket.write(`${OK}\r\n`);
      drip(socket, " ");
    });
    await expect(range(gatewayTo([port], { times: { attempt: 20, request: 1 } }))).rejects.toThrow(
      "no answer within",
    );
  });
});

describe("a member that is slow", () => {
  it("a large request has more time than a small one", async () => {
    const held: ServerResponse[] = [];
    const { port } = await member((res) => void held.push(res));
    const large = { ...WRITE, puts: [{ key: KEY, value: Buffer.alloc(1_000_000) }] };
    const written = gatewayTo([port]).commit(large);
    await expect.poll(() => held).toHaveLength(1);
    await expect(gatewayTo([port]).commit(WRITE, 1)).rejects.toThrow("no answer within");
    for (const res of held) res.end(JSON.stringify(GOOD));
    expect(await written).toBe(9);
  });
});

describe("members that don't listen", () => {
  it("a write is sent to the next member if it was certainly not sent", async () => {
    const { port, asked } = await good();
    const gateway = gatewayTo([await unusedPort(), await unusedPort(), port], {
      times: { ...TIMES, request: 2_000 },
    });
    expect(await gateway.commit(WRITE)).toBe(9);
    expect(asked).toMatchObject([{ path: "/v3/kv/txn" }]);
  });

  it("a write that could not be sent fails, and names each member", async () => {
    const [one, other] = [await unusedPort(), await unusedPort()];
    const error: Error = await gatewayTo([one, other])
      .commit(WRITE, 1)
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
    [
      { code: 3, message: "etcdserver: user name is empty" },
      400,
      UnauthorizedError,
      "APPVARS_STORE_USER",
    ],
    [
      { code: 7, message: "etcdserver: permission denied" },
      403,
      UnauthorizedError,
      "does not let this user",
    ],
    [
      { code: 9, message: "etcdserver: authentication is not enabled" },
      400,
      UnauthorizedError,
      "has no users",
    ],
    [
      { code: 3, message: "etcdserver: request is too large" },
      400,
      ServerError,
      "etcdserver: request is too large",
    ],
    [
      { code: 12, message: SECRET },
      501,
      ServerError,
      "the store refuses the request: it refuses the request",
    ],
    [
      { code: 11, message: "etcdserver: mvcc: it has been compacted" },
      400,
      ServerError,
      "it has been compacted",
    ],
  ])("a request that is refused is not tried again: %j", async (body, status, type, message) => {
    for (const run of [range, (gateway: Gateway) => gateway.commit(WRITE)]) {
      const { port, asked } = await member(sends(body, status));
      const error: Error = await run(gatewayTo([port, (await good()).port])).catch(
        (caught) => caught,
      );
      expect(error).toBeInstanceOf(type);
      expect(error).not.toBeInstanceOf(UncertainError);
      expect(error.message).toContain(message);
      expect(error.message).not.toContain(SECRET);
      expect(asked).toHaveLength(1);
    }
  });
});

describe("reading ranges of keys", () => {
  it("ranges are read at one revision, in one request", async () => {
    const { port, asked } = await member(
      sends(ranges({ kvs: [kv()] }, {}, { kvs: [kv("/s/log/2"), kv("/s/log/3")] })),
    );
    const answer = await gatewayTo([port]).ranges([
      { key: KEY },
      { key: "/s/none" },
      { key: "/s/log/", end: "/s/log0", limit: 2, keysOnly: true },
    ]);
    expect(answer.ranges.map((stored) => stored.map(({ key }) => key))).toEqual([
      [KEY],
      [],
      ["/s/log/2", "/s/log/3"],
    ]);
    expect(asked.map(({ body }) => body.success)).toEqual([
      [
        { request_range: { key: base64(KEY) } },
        { request_range: { key: base64("/s/none") } },
        {
          request_range: {
            key: base64("/s/log/"),
            range_end: base64("/s/log0"),
            limit: 2,
            keys_only: true,
          },
        },
      ],
    ]);
  });
});

describe("a lease", () => {
  it("is granted, kept, and given to a key", async () => {
    // More than a number of JavaScript can hold.
    const lease = "7587862094372847617";
    const { port, asked } = await member(
      sends({ header: HEADER, ID: lease, TTL: "2" }),
      sends({ result: {} }),
      sends(GOOD),
    );
    const gateway = gatewayTo([port]);
    expect(await gateway.grantLease(1_500)).toBe(lease);
    await gateway.keepLease(lease);
    await gateway.commit({ ...WRITE, puts: [{ key: KEY, value: Buffer.from("x"), lease }] });
    expect(asked.slice(0, 2).map(({ path, body }) => [path, body])).toEqual([
      ["/v3/lease/grant", { TTL: 2 }],
      ["/v3/lease/keepalive", { ID: lease }],
    ]);
    expect(asked[2]?.body.success).toEqual([
      { request_put: { key: base64(KEY), value: base64("x"), lease } },
    ]);
  });

  it.each([undefined, 7, "", "0", "-1", "1e3", "9".repeat(21)])(
    "that can't be one is refused: %j",
    async (ID) => {
      const { port } = await member(sends({ header: HEADER, ID }));
      await expect(
        gatewayTo([port], { times: { ...TIMES, write: 1 } }).grantLease(1_000),
      ).rejects.toThrow(OTHER_FORM);
    },
  );
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
      "kv/txn",
      "kv/txn",
      "kv/txn",
      "auth/authenticate",
      "kv/txn",
    ]);
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      undefined,
      "one",
      "one",
      "one",
      undefined,
      "two",
    ]);
    expect(asked[0]?.body).toEqual({ name: "someone", password: SECRET });
  });

  it("a token is used again while a write waits for another writer", async () => {
    const turn = { key: "/s/turn", modRevision: 0, obstacle: "another writer has the turn" };
    const waits = refused({ kvs: [kv("/s/turn")] });
    const { port, asked } = await member(token("one"), waits, waits, sends(GOOD));
    expect(await gatewayTo([port], options).commit({ ...WRITE, conditions: [turn] })).toBe(9);
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      undefined,
      "one",
      "one",
      "one",
    ]);
  });

  it("a token is asked for again however long no member answered before", async () => {
    const { port } = await member(
      token("one"),
      ...Array(5).fill(sends("", 503)),
      invalidToken,
      token("two"),
      sends(GOOD),
    );
    expect(await range(gatewayTo([port], options))).toEqual([ENTRY]);
  });

  it("a token that gets no answer is not used again", async () => {
    // A cluster that was restored from a backup does not answer those with a token of a later
    // revision.
    const { port, asked } = await member(token("one"), () => {}, token("two"), sends(GOOD));
    const gateway = gatewayTo([port], { ...options, times: TIMES });
    await expect(range(gateway)).rejects.toThrow("no answer within");
    expect(await range(gateway)).toEqual([ENTRY]);
    expect(asked.map(({ authorization }) => authorization)).toEqual([
      undefined,
      "one",
      undefined,
      "two",
    ]);
  });

  it("a token that is refused each time ends in an error", async () => {
    const { port, asked } = await member((res, req) =>
      (req.url?.includes("auth") ? token("one") : invalidToken)(res),
    );
    await expect(range(gatewayTo([port], options))).rejects.toThrow(UnauthorizedError);
    expect(asked.length).toBeLessThan(10);
  });

  it("a write is not sent while the login fails", async () => {
    const { port, asked } = await member(sends("", 500));
    const error: Error = await gatewayTo([port], { ...options, times: TIMES })
      .commit(WRITE, 1)
      .catch((caught) => caught);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(error).not.toBeInstanceOf(UncertainError);
    expect(asked.every(({ path }) => path === "/v3/auth/authenticate")).toBe(true);
  });

  it.each([undefined, "", "two words", "line\r\nX-Forged: yes", "é", "x".repeat(10_000)])(
    "a token that can't be one is refused: %j",
    async (text) => {
      const { port } = await member(token(text));
      await expect(range(gatewayTo([port], { ...options, times: TIMES }))).rejects.toThrow(
        OTHER_FORM,
      );
    },
  );
});

describe("a watch", () => {
  const watching = async (...lines: readonly unknown[]) => {
    const { port } = await member((res) => {
      res.writeHead(200);
      for (const line of lines)
        res.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
    });
    return gatewayTo([port]).watch(KEY, new AbortController().signal);
  };
  const result = (fields: object) => ({ result: { header: HEADER, ...fields } });
  const events = [{ kv: kv() }];

  it("tells that it has begun, of changes as they come, and of nothing else", async () => {
    const changes = await watching(
      result({ created: true }),
      result({ events }),
      result({}),
      result({ events }),
      SECRET,
    );
    for (let count = 0; count < 3; count++) expect((await changes.next()).done).toBe(false);
    await expect(changes.next()).rejects.toThrow("its answer is not JSON");
  });

  it.each<[string, unknown, string]>([
    ["it is canceled", result({ canceled: true, cancel_reason: SECRET }), "it ends the watch"],
    ["its history is gone", result({ canceled: true, compact_revision: "8" }), "it ends the watch"],
    ["it fails", { error: { grpc_code: 14, message: SECRET } }, "it refuses the request"],
    ["a line is not JSON", SECRET, "its answer is not JSON"],
    ["a line is something else", { [SECRET]: 1 }, OTHER_FORM],
    ["its changes are no list", result({ events: SECRET }), OTHER_FORM],
  ])("ends in an error: %s", async (_what, line, reason) => {
    const error: Error = await (await watching(line)).next().catch((caught) => caught);
    expect(error.message).toContain(reason);
    expect(error.message).not.toContain(SECRET);
  });

  it("that does not begin is given up", async () => {
    const gateway = gatewayTo([(await tcpPeer(() => {})).port]);
    const changes = gateway.watch(KEY, new AbortController().signal);
    await expect(changes.next()).rejects.toThrow("no answer within");
  });
});
