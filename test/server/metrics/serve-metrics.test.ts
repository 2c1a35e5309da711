import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { addDataMetrics, createRegistry } from "../../../src/server/metrics/registry.js";
import { listen } from "../../../src/server/wire/listener.js";
import { NO_DATA } from "../../../src/store/data.js";
import { createMemoryStore } from "../../../src/store/memory/memory-store.js";
import { runCli } from "../../support/cli.js";
import { DATA, edited } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { scrapeAfterRequests, serveWithMetrics } from "../../support/serve-with-metrics.js";

const KEY = { name: "ana", api_key: "ana-key", api_secret: "secret-of-ana" };

function withKeys(...keys: object[]) {
  return edited((data) => {
    data.environments[0].keys = keys;
  });
}

const DOCS = join(import.meta.dirname, "../../../docs");
const DASHBOARD = readFileSync(join(DOCS, "grafana-dashboard.json"), "utf8");
const RULES = readFileSync(join(DOCS, "alerts.yml"), "utf8");

describe("serve --metrics", () => {
  it("prints the address of the metrics before it serves, and closes that port when it stops", async () => {
    const { metricsUrl, stderr, stop } = await serveWithMetrics();
    expect(stderr).toMatch(/metrics on http:\/\/127\.0\.0\.1:\d+\/metrics\n.* serving .* on http/);
    expect((await fetch(metricsUrl)).status).toBe(200);
    expect(await stop()).toMatchObject({ code: 0 });
    await expect(fetch(metricsUrl)).rejects.toThrow();
  });

  it("has no keys, names, values and addresses in its metrics", async () => {
    const text = await scrapeAfterRequests();
    expect(text).toContain(
      '{route="/v1/variables-values-by-name/:name/content",method="GET",status="200"} 1',
    );
    expect(text).toContain('{route="other",method="GET",status="404"} 1');
    const known = [
      ...DATA.environments.flatMap(({ api_key, api_secret }) => [api_key, api_secret]),
      "hunter2",
    ];
    const found = [...known, "shop", "DATABASE_URL", "postgres", "127.0.0.1", "192.0.2"].filter(
      (secret) => text.includes(secret),
    );
    expect(found).toEqual([]);
  });

  it("counts reloads, and has the result of the last one and the age of the data", async () => {
    const { write, value } = await serveWithMetrics();
    const isReadable = () => value("appvars_data_last_reload_successful");
    const reloads = (result: string) =>
      value(`appvars_data_reload_duration_seconds_count{result="${result}"}`);
    expect([await isReadable(), await reloads("success"), await reloads("failure")]).toEqual([
      1, 0, 0,
    ]);
    await write("broken");
    await expect.poll(isReadable, { timeout: 10_000 }).toBe(0);
    expect(await reloads("failure")).toBeGreaterThan(0);
    const age = await value("appvars_data_age_seconds");
    await write(DATA);
    await expect.poll(isReadable, { timeout: 10_000 }).toBe(1);
    expect(await reloads("success")).toBe(1);
    expect(await value("appvars_data_age_seconds")).toBeLessThan(age);
  });

  it("has the age of a data store", async () => {
    const registry = createRegistry();
    addDataMetrics(
      registry,
      { problem: undefined, age: 2_500, onReload: () => {}, data: NO_DATA },
      Date.now,
      () => 0,
    );
    expect(await registry.getSingleMetricAsString("appvars_data_age_seconds")).toContain(
      "appvars_data_age_seconds 2.5",
    );
  });

  it("has the time until each named key expires", async () => {
    const [soon, past] = ["2026-01-31T12:00:00.500Z", "2026-01-31T11:59:00.000Z"];
    const keys = [
      { ...KEY, valid_until: soon },
      { ...KEY, name: "ben", api_key: "ben-key", valid_until: past },
      { ...KEY, name: "eva", api_key: "eva-key" },
    ];
    const registry = createRegistry();
    const { data } = createMemoryStore(withKeys(...keys));
    const clock = () => Date.parse("2026-01-31T12:00:00.000Z");
    addDataMetrics(registry, { problem: undefined, onReload: () => {}, data }, clock, () => 0);
    const text = await registry.getSingleMetricAsString("appvars_key_expiry_seconds");
    expect(text.split("\n").slice(2)).toEqual([
      'appvars_key_expiry_seconds{environment="shop/development",client="ana"} 0.5',
      'appvars_key_expiry_seconds{environment="shop/development",client="ben"} -60',
    ]);
  });

  it("exits with an error that names the flag if the port is in use, or the address is not of this machine", async () => {
    const other = createServer();
    onTestFinished(() => void other.close());
    const port = String((await listen(other, { host: "127.0.0.1", port: 0 })).port);
    const argv = ["serve", "--data", (await dataFile(DATA)).path, "--port", "0", "--metrics"];
    const inUse = await runCli([...argv, port]);
    expect([inUse.code, inUse.stdout]).toEqual([1, ""]);
    expect(inUse.stderr).toContain(
      `port ${port} on 127.0.0.1 is in use: choose another with --metrics, or 0`,
    );
    const foreign = await runCli([...argv, "192.0.2.1:0"]);
    expect(foreign.code).toBe(2);
    expect(foreign.stderr).toContain("--metrics 192.0.2.1 is not an address of this machine");
  });

  it("warns if other machines may read the metrics", async () => {
    const argv = [
      "serve",
      "--data",
      (await dataFile(DATA)).path,
      "--port",
      "0",
      "--metrics",
      "0.0.0.0:0",
    ];
    expect((await runCli(argv)).stderr).toContain("may read the metrics");
  });
});

it("docs/operating.md has exactly the metrics of appvars, with their types and labels", async () => {
  const text = await scrapeAfterRequests(
    withKeys({ ...KEY, valid_until: "2999-12-31T00:00:00.000Z" }),
  );
  const served = [...text.matchAll(/^# TYPE (appvars_\w+) (\w+)$/gm)].map(([, name = "", type]) => {
    const series = text.match(new RegExp(`^${name}(?:_count)?(?:\\{.*\\})? `, "m"))?.[0] ?? "";
    return [name, type, ...[...series.matchAll(/(\w+)=/g)].map(([, label]) => label)].join(" ");
  });
  const rows = readFileSync(join(DOCS, "operating.md"), "utf8").matchAll(
    /^\| `(appvars_\w+)` \| (\w+) \|(.*?)\|/gm,
  );
  const described = [...rows].map(([, name, type, labels = ""]) =>
    [name, type, ...(labels.match(/\w+/g) ?? [])].join(" "),
  );
  expect(described.length).toBeGreaterThan(8);
  expect(described.toSorted()).toEqual(served.toSorted());
});

describe("the dashboard and the alert rules", () => {
  it("name only metrics that there are", async () => {
    const text = await scrapeAfterRequests(
      withKeys({ ...KEY, valid_until: "2999-12-31T00:00:00.000Z" }),
    );
    const { panels } = JSON.parse(DASHBOARD) as { panels: { targets: { expr: string }[] }[] };
    const expressions = [
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      RULES,
    ];
    const names = new Set(
      expressions.flatMap((each) => each.match(/\b(?:appvars|nodejs|process)_\w+/g) ?? []),
    );
    expect(names.size).toBeGreaterThan(10);
    expect([...names].filter((name) => !new RegExp(`^${name}[ {]`, "m").test(text))).toEqual([]);
  });
});
