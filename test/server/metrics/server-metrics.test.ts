import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { ServerMetrics } from "../../../src/server/metrics/registry.js";
import { get, openSocket, raw, request } from "../../support/http.js";
import { aVariable } from "../../support/records.js";
import { stubbedServer } from "../../support/stubbed-server.js";

/** A server whose clock stands still but for `work` milliseconds in each request for a variable. */
async function measuredServer(work = 0, rateLimit = 100) {
  const registry = new Registry();
  let now = 0;
  const getVariable = () => {
    now += work;
    return aVariable({ id: 1, name: "SLOW" });
  };
  const server = await stubbedServer({
    ticks: () => now,
    reads: { variable: getVariable },
    options: { metrics: new ServerMetrics(registry, () => false), rateLimit },
  });
  /** The series of a metric that are not 0, without its name. */
  const series = async (name: string) => {
    const lines = (await registry.getSingleMetricAsString(`appvars_${name}`)).split("\n");
    return lines
      .filter((line) => !/^#| 0$/.test(line))
      .map((line) => line.slice(`appvars_${name}`.length));
  };
  return { server, series };
}

it("answers are counted by known routes, methods and status codes only", async () => {
  const { server, series } = await measuredServer();
  await get(server, "/v1/variables/1?token=x");
  await get(server, "/v1/variables/2");
  await request(server, "HEAD", "/v1/variables-values-by-name/PORT/content");
  for (const method of ["POST", "DELETE", "PROPFIND"]) await request(server, method, "/healthz");
  for (const path of ["/", "/a", "/v1/secrets", "/healthz/"]) await get(server, path);
  await raw(server, "nonsense\r\n\r\n");
  await expect
    .poll(() => series("http_requests_total"))
    .toEqual([
      '{route="/v1/variables/:id",method="GET",status="200"} 2',
      '{route="/v1/variables-values-by-name/:name/content",method="HEAD",status="401"} 1',
      '{route="/healthz",method="other",status="405"} 3',
      '{route="other",method="GET",status="404"} 4',
      '{route="other",method="other",status="400"} 1',
    ]);
});

it("latencies are counted in classes", async () => {
  const { server, series } = await measuredServer(25);
  await get(server, "/v1/variables/1");
  await get(server, "/v1/variables/1");
  const name = "http_request_duration_seconds";
  await expect.poll(() => series(name)).toContain('_count{route="/v1/variables/:id"} 2');
  const lines = await series(name);
  expect(lines[0]).toBe('_bucket{le="0.025",route="/v1/variables/:id"} 2');
  expect(lines).toContain('_sum{route="/v1/variables/:id"} 0.05');
});

it("decisions of the rate limit are counted by the kind of counter, those without a limit are not", async () => {
  const limited = await measuredServer(0, 2);
  for (let count = 0; count < 3; count++) {
    await get(limited.server, "/v1/variables/1");
    await get(limited.server, "/v1/variables/1", {});
    await get(limited.server, "/healthz", {});
  }
  await raw(limited.server, "nonsense\r\n\r\n");
  expect(await limited.series("rate_limit_decisions_total")).toEqual([
    '{counter="key",decision="allowed"} 2',
    '{counter="key",decision="refused"} 1',
    '{counter="address",decision="allowed"} 2',
    '{counter="address",decision="refused"} 2',
    '{counter="health",decision="allowed"} 2',
    '{counter="health",decision="refused"} 1',
  ]);
  const unlimited = await measuredServer(0, 0);
  await get(unlimited.server, "/healthz");
  expect(await unlimited.series("rate_limit_decisions_total")).toEqual([]);
});

it("open connections are those of the server", async () => {
  const { server, series } = await measuredServer();
  const sockets = [await openSocket(server), await openSocket(server)];
  await expect.poll(() => series("open_connections")).toEqual([" 2"]);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => series("open_connections")).toEqual([]);
});
