import { expect, it } from "vitest";
import { LATENCY_BOUNDS, ServerStatistics } from "../../../src/server/metrics/statistics.js";
import { get, openSocket, raw, request } from "../../support/http.js";
import { aVariable } from "../../support/records.js";
import { stubbedServer } from "../../support/stubbed-server.js";

/** A server whose clock stands still but for `work` milliseconds in each request for a variable. */
async function countedServer(work = 0, rateLimit = 100) {
  const statistics = new ServerStatistics();
  let now = 0;
  const getVariable = () => {
    now += work;
    return aVariable({ id: 1, name: "SLOW" });
  };
  const server = await stubbedServer({
    ticks: () => now,
    reads: { variable: getVariable },
    options: { statistics, rateLimit },
  });
  return { server, statistics };
}

/** `GET /healthz 200`: how many, of all that were answered. */
function answersOf({ routes }: ServerStatistics): Record<string, number> {
  const rows = [...routes].flatMap(([route, { answers }]) =>
    Object.entries(answers).flatMap(([method, byStatus]) =>
      [...byStatus].map(([status, count]) => [`${method} ${route} ${status}`, count]),
    ),
  );
  return Object.fromEntries(rows);
}

it("answers are counted by known routes, methods and status codes only", async () => {
  const { server, statistics } = await countedServer();
  await get(server, "/v1/variables/1?token=x");
  await get(server, "/v1/variables/2");
  await request(server, "HEAD", "/v1/variables-values-by-name/PORT/content");
  for (const method of ["POST", "DELETE", "PROPFIND"]) await request(server, method, "/healthz");
  for (const path of ["/", "/a", "/v1/secrets", "/healthz/"]) await get(server, path);
  await raw(server, "nonsense\r\n\r\n");
  await expect
    .poll(() => answersOf(statistics))
    .toEqual({
      "GET /v1/variables/:id 200": 2,
      "HEAD /v1/variables-values-by-name/:name/content 401": 1,
      "other /healthz 405": 3,
      "GET other 404": 4,
      "other other 400": 1,
    });
});

it("latencies are counted in classes", async () => {
  const { server, statistics } = await countedServer(25);
  await get(server, "/v1/variables/1");
  await get(server, "/v1/variables/1");
  const route = statistics.routes.get("/v1/variables/:id");
  await expect.poll(() => route?.latencySum).toBe(50);
  const expected = Array(LATENCY_BOUNDS.length + 1).fill(0);
  expected[LATENCY_BOUNDS.indexOf(0.025)] = 2;
  expect(route?.latencies).toEqual(expected);
});

it("a latency over the highest bound has a class of its own", async () => {
  const { server, statistics } = await countedServer(10_001);
  await get(server, "/v1/variables/1");
  const route = statistics.routes.get("/v1/variables/:id");
  await expect.poll(() => route?.latencies.at(-1)).toBe(1);
});

it("decisions of the rate limit are counted by the kind of counter, those without a limit are not", async () => {
  const limited = await countedServer(0, 2);
  for (let count = 0; count < 3; count++) {
    await get(limited.server, "/v1/variables/1");
    await get(limited.server, "/v1/variables/1", {});
    await get(limited.server, "/healthz", {});
  }
  await raw(limited.server, "nonsense\r\n\r\n");
  expect(limited.statistics.decisions).toEqual({
    key: { allowed: 2, refused: 1 },
    address: { allowed: 2, refused: 2 },
    health: { allowed: 2, refused: 1 },
  });
  const unlimited = await countedServer(0, 0);
  await get(unlimited.server, "/healthz");
  expect(unlimited.statistics.decisions.health).toEqual({ allowed: 0, refused: 0 });
});

it("open connections are those of the server", async () => {
  const { server, statistics } = await countedServer();
  const sockets = [await openSocket(server), await openSocket(server)];
  await expect.poll(() => statistics.openConnections()).toBe(2);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => statistics.openConnections()).toBe(0);
});
