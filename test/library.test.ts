import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createClient,
  loadEnv,
  NotFoundError,
  readAll,
  serve,
  sign,
  UsageError,
  verify,
} from "../src/index.js";
import { DATA } from "./support/data.js";
import { dataFile } from "./support/data-file.js";
import { get, raw } from "./support/http.js";

// As in docs/library.md: a server for a test suite in three lines.
const server = await serve({ data: DATA, port: 0 });
const client = createClient({ url: server.url, ...server.credentials("shop/development") });
afterAll(() => server.close());

it("serve() serves data from memory, and createClient() reads it", async () => {
  expect(await client.getContentByName("PORT")).toEqual({ value: 3000 });
  expect(await readAll((page) => client.listValues(page))).toHaveLength(6);
  expect(
    await client.readSnapshot((snapshot) => readAll((page) => snapshot.listVariables(page))),
  ).toHaveLength(7);
});

it("the library throws errors of different classes", async () => {
  await expect(client.getValueByName("NOPE")).rejects.toBeInstanceOf(NotFoundError);
  expect(() => server.credentials("staging")).toThrow(NotFoundError);
});

it("serve() refuses invalid data and a port that is in use", async () => {
  await expect(serve({ data: { ...DATA, version: 2 }, port: 0 })).rejects.toThrow(
    "unknown version",
  );
  await expect(serve({ data: DATA, port: server.port })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});

it("verify() accepts the headers of sign()", () => {
  const timestamp = 1_700_000_000_000;
  const authorization = sign({ timestamp, method: "GET", route: "/v1/variables" }, "secret");
  const received = { method: "GET", target: "/v1/variables", authorization };
  expect(verify(received, "secret", { now: timestamp })).toBe(true);
  expect(verify(received, "another", { now: timestamp })).toBe(false);
});

it("a server can be closed more than once", async () => {
  const other = await serve({ data: DATA, port: 0 });
  await Promise.all([other.close(), other.close()]);
  await expect(fetch(other.url)).rejects.toThrow();
});

describe.each([
  [
    "throws",
    () => {
      throw new Error("disk full");
    },
  ],
  ["rejects", () => Promise.reject(new Error("disk full"))],
  [
    "throws no error",
    () => {
      throw "disk full";
    },
  ],
])("a callback that %s", (how, callback) => {
  const reason = how === "throws no error" ? "string" : "disk full";
  /** The warnings of callbacks from here on. */
  function warnings() {
    const spy = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => spy.mockRestore());
    return () => spy.mock.calls.map(([text]) => text);
  }
  const warning = (name: string) =>
    `${name} failed: ${reason}; its later failures are not reported`;

  it("loses no answer of a server, ends no reload, and is reported once", async () => {
    const warned = warnings();
    const { path, write } = await dataFile(DATA);
    const calls = {
      onRequest: vi.fn(callback),
      onInternalError: vi.fn(callback),
      onConnectionsRefused: vi.fn(callback),
    };
    const other = await serve({ data: path, port: 0, maxConnections: 1, ...calls });
    onTestFinished(() => other.close());
    for (const target of ["/healthz", "/v1/variables", "/v1/variables?limit=0", "/v1/nothing"])
      expect((await get(other, target)).headers).toHaveProperty("ratelimit-limit");
    expect((await raw(other, "nonsense\r\n\r\n")).status).toBe(400);
    const first = await raw(other, "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(first.status).toBe(200);
    expect(calls.onRequest).toHaveBeenCalledTimes(6);
    await write("broken");
    await vi.waitFor(() => expect(calls.onInternalError).toHaveBeenCalled());
    await write(DATA);
    await vi.waitFor(async () => expect((await get(other, "/healthz")).status).toBe(200), {
      timeout: 10_000,
    });
    await vi.waitFor(() =>
      expect(warned().toSorted()).toEqual([warning("onInternalError"), warning("onRequest")]),
    );
  });

  it("loses no answer to a client, and no try again", async () => {
    const warned = warnings();
    const random = vi.spyOn(Math, "random").mockReturnValueOnce(0).mockReturnValue(0.9);
    onTestFinished(() => random.mockRestore());
    const limited = await serve({ data: DATA, port: 0, faults: { failRate: 0.5 } });
    const calls = { onRetry: vi.fn(callback), onResponse: vi.fn(callback) };
    const reader = createClient({
      url: limited.url,
      ...limited.credentials("shop/development"),
      ...calls,
    });
    onTestFinished(async () => {
      await reader.close();
      await limited.close();
    });
    expect(await reader.getContentByName("PORT")).toEqual({ value: 3000 });
    expect(await reader.getContentByName("PORT")).toEqual({ value: 3000 });
    expect([calls.onRetry.mock.calls.length, calls.onResponse.mock.calls.length]).toEqual([1, 3]);
    await vi.waitFor(() => expect(warned()).toEqual([warning("onResponse"), warning("onRetry")]));
  });

  it("does not keep loadEnv from loading", async () => {
    const warned = warnings();
    const [{ path }, onWarning] = [await dataFile(DATA), vi.fn(callback)];
    const options = { data: path, env: "shop/development", prefix: "LD_", apply: false, onWarning };
    expect(await loadEnv(options)).toEqual(expect.any(Object));
    expect(onWarning).toHaveBeenCalled();
    await vi.waitFor(() => expect(warned()).toContain(warning("onWarning")));
  });
});

it.each(["x", 5, {}, null])(
  "a callback that is %j is refused before anything is started",
  async (onRequest) => {
    const { path } = await dataFile(DATA);
    await expect(async () =>
      serve({ data: path, port: 0, onRequest: onRequest as never }),
    ).rejects.toThrow(new UsageError("onRequest must be a function"));
  },
);
