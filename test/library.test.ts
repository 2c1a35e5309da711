import { afterAll, expect, it } from "vitest";
import { createClient, NotFoundError, readAll, serve, sign, verify } from "../src/index.js";
import { DATA } from "./support/data.js";

// As in docs/library.md: a server for a test suite in three lines.
const server = await serve({ data: DATA, port: 0 });
const client = createClient({ url: server.url, ...server.credentials("shop/development") });
afterAll(() => server.close());

it("serve() serves data from memory, and createClient() reads it", async () => {
  expect(await client.getContentByName("PORT")).toEqual({ value: 3000 });
  expect(await readAll((page) => client.listValues(page))).toHaveLength(6);
  expect(await client.readSnapshot((snapshot) => readAll((page) => snapshot.listVariables(page)))).toHaveLength(7);
});

it("the library throws errors of different classes", async () => {
  await expect(client.getValueByName("NOPE")).rejects.toBeInstanceOf(NotFoundError);
  expect(() => server.credentials("staging")).toThrow(NotFoundError);
});

it("serve() refuses invalid data and a port that is in use", async () => {
  await expect(serve({ data: { ...DATA, version: 2 }, port: 0 })).rejects.toThrow("unknown version");
  await expect(serve({ data: DATA, port: server.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
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
