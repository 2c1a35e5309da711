import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../../src/server/start-server.js";
import { Service } from "../../../src/service/service.js";
import type { Data } from "../../../src/store/data.js";
import { createMemoryStore } from "../../../src/store/memory/memory-store.js";
import { DATA, edited } from "../../support/data.js";
import { DEV_HEADERS, get, request } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

const VALUES = "/v1/variables-values";
const ROUTES = [
  `${VALUES}-by-name`,
  "/v1/variables",
  "/v1/variables?limit=1&offset=2",
  "/v1/variables/1",
  VALUES,
  `${VALUES}/11`,
].concat(["", "/content"].map((end) => `${VALUES}-by-name/PORT${end}`));
const ABSENT = [
  "/v1/variables/99",
  `${VALUES}/99`,
  `${VALUES}-by-name/NOPE`,
  `${VALUES}-by-name/NOPE/content`,
];

type RunningServer = Awaited<ReturnType<typeof runningServer>>;

async function revisionOf(data: unknown, headers = DEV_HEADERS): Promise<string> {
  const server = await runningServer({ data: data as object });
  return String((await get(server, "/v1/variables?limit=1", headers)).headers["appvars-revision"]);
}

describe("Appvars-Revision", () => {
  it("is the same short token in every answer about data: 200, 304 and 404", async () => {
    const server = await runningServer();
    const { headers } = await get(server, VALUES);
    expect(headers["appvars-revision"]).toMatch(/^[A-Za-z0-9_-]{22}$/);
    const expected = { "appvars-revision": headers["appvars-revision"] };
    for (const method of ["GET", "HEAD"]) {
      const ask = (target: string, more = {}) =>
        request(server, method, target, { ...DEV_HEADERS, ...more });
      for (const target of ROUTES) {
        const { headers } = await ask(target);
        expect(headers).toMatchObject(expected);
        const known = await ask(target, { "if-none-match": String(headers.etag) });
        expect(known).toMatchObject({ status: 304, headers: expected });
      }
      for (const target of ABSENT)
        expect(await ask(target)).toMatchObject({ status: 404, headers: expected });
    }
  });

  it.each([
    [
      401,
      (server: RunningServer) =>
        get(server, VALUES, { "x-api-key": "dev-key", "x-api-secret": "wrong" }),
    ],
    [400, (server: RunningServer) => get(server, `${VALUES}?limit=0`)],
    [404, (server: RunningServer) => get(server, "/v1/other")],
    [405, (server: RunningServer) => request(server, "POST", VALUES, DEV_HEADERS)],
    [200, (server: RunningServer) => get(server, "/healthz")],
  ])("is missing from a %i that is not about data", async (status, ask) => {
    const answer = await ask(await runningServer());
    expect(answer.status).toBe(status);
    expect(answer.headers).not.toHaveProperty("appvars-revision");
  });

  it.each<[string, (data: Parameters<Parameters<typeof edited>[0]>[0]) => void]>([
    ["after a restart, and on a replica", () => {}],
    ["when the file has its records in another order", (data) => data.values.reverse()],
    [
      "when another environment's value changes",
      (data) => Object.assign(data.values.at(-1), { content: { value: "x" } }),
    ],
    [
      "when another application's variable changes",
      (data) => Object.assign(data.variables.at(-1), { type: "JSON" }),
    ],
    [
      "when credentials and names of environments change",
      (data) => Object.assign(data.environments[2], { api_key: "k" }),
    ],
  ])("is the same %s", async (_when, change) => {
    expect(await revisionOf(edited(change))).toBe(await revisionOf(DATA));
  });

  it("is the same after the environment's own credentials have changed", async () => {
    const data = edited(({ environments }) =>
      Object.assign(environments[0], { api_key: "k", api_secret: "new-secret" }),
    );
    expect(await revisionOf(data, { "x-api-key": "k", "x-api-secret": "new-secret" })).toBe(
      await revisionOf(DATA),
    );
  });

  it.each<[string, (data: Parameters<Parameters<typeof edited>[0]>[0]) => void]>([
    ["a value", (data) => Object.assign(data.values[0], { content: { value: 3001 } })],
    [
      "a value's type",
      (data) => Object.assign(data.values[3], { content: { value: '{"beta":["x",null,1.5]}' } }),
    ],
    ["the id of a value", (data) => Object.assign(data.values[0], { id: 99 })],
    ["a name", (data) => Object.assign(data.variables[0], { name: "PORT2" })],
    ["a type", (data) => Object.assign(data.variables[0], { type: "JSON" })],
    ["a description", (data) => Object.assign(data.variables[0], { description: "" })],
    ["that there is a value", (data) => void data.values.shift()],
    [
      "that there is a variable",
      (data) => void data.variables.splice(6, 1).concat(data.values.splice(6, 1)),
    ],
  ])("changes with %s", async (_what, change) => {
    expect(await revisionOf(edited(change))).not.toBe(await revisionOf(DATA));
  });

  it("differs between environments with different values", async () => {
    const headers = { "x-api-key": "test-key", "x-api-secret": "test-secret" };
    expect(await revisionOf(DATA, headers)).not.toBe(await revisionOf(DATA));
  });

  it("matches the body even while the data changes", async () => {
    const edit = edited((data) => Object.assign(data.values[0], { content: { value: 1 } })) as Data;
    // Fields in the order in which stores have them.
    const versions = [DATA, edit].map((data) => createMemoryStore(data).data) as [Data, Data];
    let reads = 0;
    // Returns another version each time.
    const store = Object.defineProperty(createMemoryStore(DATA), "data", {
      get: () => versions[reads++ % 2 === 0 ? 0 : 1],
    });
    const server = await startServer(new Service(store, Date.now), { port: 0 }, Date.now);
    onTestFinished(() => server.close());
    const revisions = new Map<string, Set<unknown>>();
    for (let i = 0; i < 40; i++) {
      // Each request may read it an even number of times.
      reads += i % 3;
      const { body, headers } = await get(server, `${VALUES}-by-name/PORT/content`);
      revisions.set(body, (revisions.get(body) ?? new Set()).add(headers["appvars-revision"]));
    }
    const [first, second] = await Promise.all(versions.map((data) => revisionOf(data)));
    expect(revisions).toEqual(
      new Map([
        ['{"value":3000}', new Set([first])],
        ['{"value":1}', new Set([second])],
      ]),
    );
  });
});
