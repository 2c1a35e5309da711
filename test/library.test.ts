import { afterAll, expect, it } from "vitest";
import { createClient, NotFoundError, readAll, serve, sign, verify } from "../src/index.js";
import { DATA } from "./support/data.js";

// As in the README: a server for a test suite in three lines.
const server = await serve({ data: DATA, port: 0 });
const client = createClient({ url: server.url, ...server.credentials("shop/development") });
afterAll(() => server.close());

it("serves data from memory and reads it", async () => {
  expect(await client.getContentByName("PORT")).toEqual({ value: 3000 });
  expect(await readAll((page) => client.listValues(page))).toHaveLength(6);
});

it("throws errors that can be told apart", async () => {
  await expect(client.getValueByName("NOPE")).rejects.toBeInstanceOf(NotFoundError);
  expect(() => server.credentials("staging")).toThrow(NotFoundError);
});

it("refuses data that breaks a rule, and a port that is taken", async () => {
  await expect(serve({ data: { ...DATA, version: 2 }, port: 0 })).rejects.toThrow("unknown version");
  await expect(serve({ data: DATA, port: server.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

it("signs what it verifies", () => {
  const timestamp = 1_700_000_000_000;
  const authorization = sign({ timestamp, method: "GET", route: "/v1/variables" }, "secret");
  const received = { method: "GET", target: "/v1/variables", authorization };
  expect(verify(received, "secret", { now: timestamp })).toBe(true);
  expect(verify(received, "another", { now: timestamp })).toBe(false);
});

it("closes as often as it is told to", async () => {
  const other = await serve({ data: DATA, port: 0 });
  await Promise.all([other.close(), other.close()]);
  await expect(fetch(other.url)).rejects.toThrow();
});
