import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ROUTES } from "../../../src/model/reads/routes.js";
import { type AuditEntry, AuditLog } from "../../../src/server/api/audit.js";
import { type Answer, DEV_HEADERS, get, raw, request } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

/** A server with a hook that receives the audit records. */
async function auditedServer(isRecorded = () => true) {
  const entries: AuditEntry[] = [];
  const record = (entry: AuditEntry) => {
    entries.push(entry);
    return isRecorded();
  };
  const server = await runningServer({ audit: { record } });
  const next = async () => {
    await vi.waitFor(() => expect(entries).toHaveLength(1));
    return entries.pop() as AuditEntry;
  };
  return { server, entries, next };
}

const URL = { variable_id: 1, name: "DATABASE_URL" };
const PORT = { variable_id: 2, name: "PORT" };
const ID = "9e8d7c6b";

describe("the record of a read", () => {
  it.each([
    ["/v1/variables?limit=2", "/v1/variables", [URL, PORT]],
    ["/v1/variables?offset=100", "/v1/variables", []],
    ["/v1/variables/2", "/v1/variables/:id", [PORT]],
    [
      "/v1/variables-values?limit=2",
      "/v1/variables-values",
      [
        { ...URL, value_id: 11 },
        { ...PORT, value_id: 12 },
      ],
    ],
    ["/v1/variables-values/12", "/v1/variables-values/:id", [{ ...PORT, value_id: 12 }]],
    [
      "/v1/variables-values-by-name/PORT",
      "/v1/variables-values-by-name/:name",
      [{ ...PORT, value_id: 12 }],
    ],
    [
      "/v1/variables-values-by-name/P%4FRT/content",
      "/v1/variables-values-by-name/:name/content",
      [{ ...PORT, value_id: 12 }],
    ],
    [
      "/v1/variables-values-by-name?names=PORT,UNSET,DATABASE_URL",
      "/v1/variables-values-by-name",
      [
        { ...URL, value_id: 11 },
        { ...PORT, value_id: 12 },
      ],
    ],
  ])("%s has the ids and names in the answer", async (target, route, read) => {
    const { server, next } = await auditedServer();
    const caller = {
      apiKey: "dev-key",
      client: undefined,
      environment: "shop/development",
      address: "127.0.0.1",
    };
    const headers = { ...DEV_HEADERS, "x-request-id": ID };
    const { etag } = (await get(server, target, headers)).headers as { etag: string };
    expect(await next()).toStrictEqual({
      id: ID,
      ...caller,
      method: "GET",
      route,
      status: 200,
      read,
    });
    await request(server, "HEAD", target, headers);
    expect(await next()).toStrictEqual({
      id: ID,
      ...caller,
      method: "HEAD",
      route,
      status: 200,
      read,
    });
    await get(server, target, { ...headers, "if-none-match": etag });
    expect(await next()).toStrictEqual({
      id: ID,
      ...caller,
      method: "GET",
      route,
      status: 304,
      read,
    });
  });

  it("has the id that is reported with the answer", async () => {
    const [record, onRequest] = [vi.fn(() => true), vi.fn()];
    const server = await runningServer({ audit: { record }, onRequest });
    await get(server, "/v1/variables/2");
    await vi.waitFor(() => expect(onRequest).toHaveBeenCalled());
    expect(record).toHaveBeenCalledWith(
      expect.objectContaining({ id: onRequest.mock.calls[0]?.[0].id }),
    );
  });
});

it.each(Object.values(ROUTES))(
  "an audit log changes no answer of a route, and tells of its records: %s",
  async (route) => {
    const { server, entries } = await auditedServer();
    const targets = ["1", "11"].map((id) => route.replace(":id", id).replace(":name", "PORT"));
    const answers = await Promise.all(targets.map((target) => get(server, target)));
    const expected = await Promise.all(
      targets.map(async (target) => get(await runningServer(), target)),
    );
    const comparable = ({ status, headers: { etag } }: Answer) => ({ status, etag });
    expect(answers.map(comparable)).toEqual(expected.map(comparable));
    expect(answers.map(({ status }) => status)).toContain(200);
    if (route !== ROUTES.health)
      expect(entries.find(({ status }) => status === 200)?.read).toEqual(expect.any(Array));
  },
);

describe("the record of a refusal", () => {
  it.each([
    [
      404,
      "GET",
      "/v1/variables-values-by-name/MADE_UP",
      "/v1/variables-values-by-name/:name",
      DEV_HEADERS,
    ],
    [404, "GET", "/v1/variables/999", "/v1/variables/:id", DEV_HEADERS],
    [404, "GET", "/v1/made-up", undefined, DEV_HEADERS],
    [400, "GET", "/v1/variables?limit=0", "/v1/variables", DEV_HEADERS],
    [405, "POST", "/v1/variables/2", "/v1/variables/:id", DEV_HEADERS],
    [401, "GET", "/v1/variables-values-by-name/PORT", "/v1/variables-values-by-name/:name", {}],
    [
      401,
      "GET",
      "/v1/variables/2",
      "/v1/variables/:id",
      { ...DEV_HEADERS, "x-api-secret": "wrong" },
    ],
    [400, "GET", "/v1/variables/%zz", "/v1/variables/:id", DEV_HEADERS],
  ])(
    "%i of %s %s has no name that the caller made up",
    async (status, method, target, route, headers) => {
      const { server, next } = await auditedServer();
      await request(server, method, target, headers);
      const entry = await next();
      expect(entry).toMatchObject({ status, method, route, read: undefined, address: "127.0.0.1" });
      expect(JSON.stringify(entry)).not.toMatch(/made.up/i);
      const isKnown = status !== 401 && !target.includes("%");
      expect([entry.apiKey, entry.environment]).toEqual(
        isKnown ? ["dev-key", "shop/development"] : [undefined, undefined],
      );
    },
  );

  it("is made for a request that can't be parsed, and for one over the rate limit", async () => {
    const entries: AuditEntry[] = [];
    const record = (entry: AuditEntry) => entries.push(entry) > 0;
    const server = await runningServer({ audit: { record }, rateLimit: 1 });
    await raw(server, "nonsense\r\n\r\n");
    for (let count = 0; count < 2; count++) await get(server, "/v1/variables/2");
    expect(entries.map(({ status, apiKey }) => [status, apiKey])).toEqual([
      [400, undefined],
      [200, "dev-key"],
      [429, "dev-key"],
    ]);
  });
});

it("health checks are not recorded", async () => {
  const { server, entries } = await auditedServer();
  await get(server, "/healthz");
  await request(server, "POST", "/healthz");
  expect(entries).toEqual([]);
});

it("callers with valid credentials get no answer that can't be recorded", async () => {
  const { server } = await auditedServer(() => false);
  const refused = { message: "The request can't be recorded now, try again later" };
  for (const target of [
    "/v1/variables/2",
    "/v1/variables/999",
    "/v1/variables-values",
    "/v1/made-up",
  ]) {
    const { status, json, headers } = await get(server, target);
    expect([status, json, headers["retry-after"], headers["etag"]]).toEqual([
      503,
      refused,
      "1",
      undefined,
    ]);
  }
  expect(await get(server, "/v1/variables", {})).toMatchObject({ status: 401 });
  expect(await get(server, "/healthz")).toMatchObject({ status: 200 });
});

it("/healthz answers 503 while requests can't be recorded, without a request in between", async () => {
  const { log, wait, failure } = auditLog(["setTimeout", "clearTimeout"]);
  const server = await runningServer({ audit: log });
  const health = async () => {
    const { status, json } = await get(server, "/healthz", {});
    const { message, ...rest } = json as { message: string };
    expect(Object.keys(rest)).toEqual(["uptime", "date"]);
    return [status, message, log.isFailing];
  };
  expect(await health()).toEqual([200, "OK", false]);
  failure.reason = "/var/log/audit.log can't be written: the disk is full";
  expect(await health()).toEqual([200, "OK", false]);
  expect(await get(server, "/v1/variables")).toMatchObject({ status: 503 });
  expect(await health()).toEqual([503, "requests can't be recorded; reads are answered 503", true]);
  failure.reason = undefined;
  await wait(1_000);
  expect(await health()).toEqual([200, "OK", false]);
  failure.reason = "full";
  expect(await get(server, "/v1/variables")).toMatchObject({ status: 503 });
  failure.reason = undefined;
  log.reopen();
  expect(await health()).toEqual([200, "OK", false]);
});

const ENTRY: AuditEntry = {
  id: ID,
  apiKey: "dev-key",
  client: undefined,
  environment: 'a "b"\u2028/c',
  address: "192.0.2.1",
  method: "GET",
  route: "/v1/variables/:id",
  status: 200,
  read: [{ variable_id: 2, name: "PORT" }],
};
const REFUSAL: AuditEntry = {
  ...ENTRY,
  apiKey: undefined,
  environment: undefined,
  status: 401,
  read: undefined,
};
const TIME = "2026-01-31T12:00:01.250Z";

/** An audit log whose file fails while `failure.reason` is set. */
function auditLog(toFake?: ("setTimeout" | "clearTimeout")[]) {
  vi.useFakeTimers(toFake && { toFake });
  onTestFinished(() => void vi.useRealTimers());
  let text = "";
  const failure: { reason?: string | undefined } = {};
  const attempt = (work: () => void) => {
    if (failure.reason !== undefined) throw new Error(failure.reason);
    work();
  };
  const file = {
    append: vi.fn((lines: string) =>
      attempt(() => {
        text += lines;
      }),
    ),
    open: vi.fn(() => attempt(() => {})),
    close: vi.fn(),
  };
  const [onFailed, onRecovered] = [vi.fn(), vi.fn()];
  const clock = () => Date.parse(TIME);
  const log = new AuditLog(file, { clock, onFailed, onRecovered });
  const lines = () => {
    const all = text.split("\n");
    expect(all.pop()).toBe("");
    text = "";
    return all.map((line) => JSON.parse(line));
  };
  const wait = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
  return { log, file, lines, wait, failure, onFailed, onRecovered };
}

describe("an audit log", () => {
  it("has one line of JSON for each request", () => {
    const { log, file, lines } = auditLog();
    expect(log.record(ENTRY)).toBe(true);
    expect(log.record(REFUSAL)).toBe(true);
    const request = { id: ID, from: "192.0.2.1", method: "GET", route: "/v1/variables/:id" };
    const read = [{ variable_id: 2, name: "PORT" }];
    expect(lines()).toStrictEqual([
      { time: TIME, ...request, key: "dev-key", environment: ENTRY.environment, status: 200, read },
      { time: TIME, ...request, status: 401 },
    ]);
    expect(file.append).toHaveBeenCalledTimes(2);
  });

  it("has no line for a request over the rate limit", () => {
    const { log, lines } = auditLog();
    for (const entry of [ENTRY, REFUSAL])
      expect(log.record({ ...entry, status: 429, read: undefined })).toBe(true);
    expect(lines()).toEqual([]);
  });

  it("lists every request of a caller with valid credentials within the rate limit", () => {
    const { log, lines } = auditLog();
    for (let count = 0; count < 250; count++)
      log.record({ ...ENTRY, status: 404, read: undefined });
    expect(lines()).toHaveLength(250);
  });
});

describe("an audit log that can't be written", () => {
  it("refuses reads, reports it once, and recovers by itself", async () => {
    const { log, file, lines, wait, failure, onFailed, onRecovered } = auditLog();
    failure.reason = "it can't be written: the disk is full";
    for (let count = 0; count < 5; count++) expect(log.record(ENTRY)).toBe(false);
    await wait(1_000);
    log.record(REFUSAL);
    expect(file.append).toHaveBeenCalledTimes(2);
    expect(onFailed.mock.calls).toEqual([[failure.reason]]);
    expect(log.isFailing).toBe(true);
    failure.reason = undefined;
    await wait(1_000);
    expect(log.record(ENTRY)).toBe(true);
    expect(lines()).toEqual([
      { time: TIME, lines_lost: 6 },
      expect.objectContaining({ status: 200 }),
    ]);
    expect(log.isFailing).toBe(false);
    expect(onRecovered.mock.calls).toEqual([[6]]);
    log.record(ENTRY);
    expect(lines()).toHaveLength(1);
  });

  it.each([
    ["it is opened again", ({ log }: ReturnType<typeof auditLog>) => log.reopen()],
    ["it is closed", ({ log }: ReturnType<typeof auditLog>) => log.close()],
    ["a second has passed", ({ wait }: ReturnType<typeof auditLog>) => wait(1_000)],
  ])(
    "has the number of lost lines as soon as %s, without another request",
    async (_when, happen) => {
      const audited = auditLog();
      audited.failure.reason = "full";
      expect(audited.log.record(ENTRY)).toBe(false);
      audited.failure.reason = undefined;
      await happen(audited);
      expect(audited.lines()).toEqual([{ time: TIME, lines_lost: 1 }]);
    },
  );
});

it("an audit log that can't be opened again continues in the file that was open", () => {
  const { log, lines, failure } = auditLog();
  failure.reason = "too many open files";
  expect(() => log.reopen()).toThrow(failure.reason);
  failure.reason = undefined;
  expect(log.record(ENTRY)).toBe(true);
  expect(lines()).toHaveLength(1);
});
