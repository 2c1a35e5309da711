import { expect, it, onTestFinished, vi } from "vitest";
import { type ServerOptions, startServer } from "../../../src/server/start-server.js";
import { Service } from "../../../src/service/service.js";
import { changingStore } from "../../support/changing-store.js";
import { DATA, edited } from "../../support/data.js";
import { DEV_HEADERS, get } from "../../support/http.js";
import { signByHand } from "../../support/sign-by-hand.js";

const NOW = Date.parse("2026-01-31T12:00:00.000Z");
const ANA = { name: "ana", api_key: "ana-key", api_secret: "secret-of-ana" };
const HEADERS = { "x-api-key": "ana-key", "x-api-secret": "secret-of-ana" };
const OLD_HEADERS = { "x-api-key": "old-key", "x-api-secret": "old-secret-of-ana" };
const OLD = { api_key: "old-key", api_secret: "old-secret-of-ana" };

/** {@link DATA} with named keys of shop/development. */
function withKeys(...keys: object[]) {
  return edited((data) => {
    data.environments[0].keys = keys;
  });
}

async function serverOver(data: unknown, options: ServerOptions = {}) {
  const [store, time] = [changingStore(data), { now: NOW }];
  const clock = () => time.now;
  const server = await startServer(new Service(store, clock), { port: 0, ...options }, clock);
  onTestFinished(() => server.close());
  const status = async (headers: Record<string, string>, target = "/v1/variables") =>
    (await get(server, target, headers)).status;
  const keyless = (secret: string, target = "/v1/variables/1") => ({
    Authorization: signByHand({ secret, route: target, timestamp: time.now }),
  });
  return { server, store, time, status, keyless };
}

it("a named key reads what the key of its environment reads, with the same revision", async () => {
  const { server } = await serverOver(withKeys(ANA));
  for (const target of [
    "/v1/variables",
    "/v1/variables-values",
    "/v1/variables-values-by-name/PORT",
  ]) {
    const [own, named] = [
      await get(server, target, DEV_HEADERS),
      await get(server, target, HEADERS),
    ];
    expect(named.body).toBe(own.body);
    expect(named.headers["appvars-revision"]).toBe(own.headers["appvars-revision"]);
    expect(named.headers.etag).toBe(own.headers.etag);
  }
});

it("a key with only finds some variables, and is told that there are no others", async () => {
  const { server, status } = await serverOver(withKeys({ ...ANA, only: ["PORT", "D*"] }));
  const { json, headers } = await get(server, "/v1/variables-values?limit=1", HEADERS);
  expect(json).toEqual({
    metadata: { limit: 1, offset: 0, total: 3 },
    data: [{ id: 11, variable_id: 1, content: { value: "postgres://localhost/dev" } }],
  });
  expect(headers["appvars-revision"]).not.toBe(
    (await get(server, "/v1/variables")).headers["appvars-revision"],
  );
  expect(await status(HEADERS, "/v1/variables-values-by-name/PORT")).toBe(200);
  const hidden = await get(server, "/v1/variables-values-by-name/FLAGS", HEADERS);
  const missing = await get(server, "/v1/variables-values-by-name/NOTHING", HEADERS);
  expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body]);
  expect(hidden.status).toBe(404);
});

it("an expired key is refused at once, and the answer is that to an unknown key", async () => {
  const { server, time, status, keyless } = await serverOver(
    withKeys({ ...ANA, valid_until: "2026-01-31T12:00:10.000Z" }),
  );
  expect(await status(HEADERS)).toBe(200);
  time.now += 9_999;
  expect(await status(HEADERS)).toBe(200);
  expect(await status(keyless(ANA.api_secret), "/v1/variables/1")).toBe(200);
  time.now += 1;
  expect(await status(keyless(ANA.api_secret), "/v1/variables/1")).toBe(401);
  const expired = await get(server, "/v1/variables", HEADERS);
  const unknown = await get(server, "/v1/variables", { ...HEADERS, "x-api-key": "unknown" });
  expect([expired.status, expired.body]).toEqual([unknown.status, unknown.body]);
  expect(expired.status).toBe(401);
});

it("a removed key is refused once the data is reloaded", async () => {
  const { store, status } = await serverOver(withKeys(ANA));
  expect(await status(HEADERS)).toBe(200);
  store.replace(DATA);
  expect(await status(HEADERS)).toBe(401);
});

it("a rotated pair is valid for its grace time, but never longer than its key", async () => {
  const grace = [{ ...OLD, valid_until: "2026-01-31T12:00:10.000Z" }];
  const { store, time, status } = await serverOver(
    withKeys({ ...ANA, only: ["PORT"], previous: grace }),
  );
  expect(await status(OLD_HEADERS)).toBe(200);
  expect(await status(OLD_HEADERS, "/v1/variables/1")).toBe(404);
  time.now += 10_000;
  expect([await status(OLD_HEADERS), await status(HEADERS)]).toEqual([401, 200]);
  store.replace(withKeys({ ...ANA, valid_until: "2026-01-31T12:00:05.000Z", previous: grace }));
  time.now = NOW;
  expect([await status(OLD_HEADERS), await status(HEADERS)]).toEqual([200, 200]);
  time.now += 5_000;
  expect([await status(OLD_HEADERS), await status(HEADERS)]).toEqual([401, 401]);
});

it("each named key has its own rate limit, which a rotated pair shares with its key", async () => {
  const ben = { name: "ben", api_key: "ben-key", api_secret: "secret-of-ben" };
  const previous = [{ ...OLD, valid_until: "2026-02-28T00:00:00.000Z" }];
  const { status, keyless } = await serverOver(withKeys({ ...ANA, previous }, ben), {
    rateLimit: 2,
  });
  expect([await status(HEADERS), await status(OLD_HEADERS), await status(HEADERS)]).toEqual([
    200, 200, 429,
  ]);
  expect(await status(DEV_HEADERS)).toBe(200);
  expect(await status({ "x-api-key": "ben-key", "x-api-secret": "secret-of-ben" })).toBe(200);
  expect(await status(keyless(ANA.api_secret), "/v1/variables/1")).toBe(429);
});

it("a signature without a key is found for a named key, and reads no more than that may", async () => {
  const { status, keyless } = await serverOver(withKeys({ ...ANA, only: ["PORT"] }));
  expect(await status(keyless(ANA.api_secret, "/v1/variables/2"), "/v1/variables/2")).toBe(200);
  expect(await status(keyless(ANA.api_secret, "/v1/variables/1"), "/v1/variables/1")).toBe(404);
});

it("a signature that two named keys could have made is refused", async () => {
  const ben = { name: "ben", api_key: "ben-key", api_secret: ANA.api_secret };
  const { status, keyless } = await serverOver(withKeys({ ...ANA, only: ["PORT"] }, ben));
  expect(await status(keyless(ANA.api_secret, "/v1/variables/2"), "/v1/variables/2")).toBe(401);
});

it("a search without a key tries the keys of all environments before named ones, 100 in all", async () => {
  const keys = Array.from({ length: 100 }, (_, index) => ({
    name: `name-${index}`,
    api_key: `key-${index}`,
    api_secret: `secret-of-${index}`,
  }));
  const { status, keyless, time } = await serverOver(withKeys(...keys));
  const found = async (secret: string) => {
    time.now += 1;
    return status(keyless(secret, "/v1/variables/8"), "/v1/variables/8");
  };
  expect(await found("billing-secret")).toBe(200);
  const target = "/v1/variables/2";
  expect(await status(keyless("secret-of-95", target), target)).toBe(200);
  expect(await status(keyless("secret-of-96", target), target)).toBe(401);
});

it("the audit log and the log name the key", async () => {
  const [record, onRequest] = [vi.fn(() => true), vi.fn()];
  const { status } = await serverOver(withKeys({ ...ANA, only: ["PORT"] }), {
    audit: { record },
    onRequest,
  });
  await status(HEADERS, "/v1/variables-values");
  const caller = { apiKey: "ana-key", client: "ana" };
  const read = [{ variable_id: 2, name: "PORT", value_id: 12 }];
  expect(record).toHaveBeenCalledWith(
    expect.objectContaining({ ...caller, environment: "shop/development", read }),
  );
  await vi.waitFor(() => expect(onRequest).toHaveBeenCalledWith(expect.objectContaining(caller)));
});

it("keys with the same patterns share a view, and other keys have their own", () => {
  const ben = { name: "ben", api_key: "ben-key", api_secret: "secret-of-ben", only: ["PORT"] };
  const eva = { name: "eva", api_key: "eva-key", api_secret: "secret-of-eva", only: ["DEBUG"] };
  const free = { name: "free", api_key: "free-key", api_secret: "secret-of-free" };
  const service = new Service(
    changingStore(withKeys({ ...ANA, only: ["PORT"] }, ben, eva, free)),
    () => NOW,
  );
  const viewOf = (key: string) =>
    service.view(service.grantOfKey(key)?.scope as { id: number; application: string });
  expect(viewOf("ben-key")).toBe(viewOf("ana-key"));
  expect(viewOf("eva-key")).not.toBe(viewOf("ana-key"));
  expect(viewOf("free-key")).toBe(viewOf("dev-key"));
  expect(viewOf("ana-key")).not.toBe(viewOf("dev-key"));
});
