import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { edited } from "../../support/data.js";
import { needs } from "../../support/needed-program.js";
import { startRedis } from "../../support/redis.js";
import { scrapeAfterRequests, serveWithMetrics } from "../../support/serve-with-metrics.js";

const DOCS = join(import.meta.dirname, "../../../docs");

/** Skips the test if there is no promtool. */
function promtool({ skip }: TestContext, args: string[], input = "") {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  skip(error !== undefined, "promtool is missing: it is in Debian's package prometheus");
  return { status, output: stdout + stderr };
}

describe("serve --metrics", () => {
  it("has the state of the rate limit store, if there is one", needs("redis-server"), async () => {
    const redis = await startRedis();
    const { value } = await serveWithMetrics(["--rate-limit-store", redis.url]);
    const isUp = () => value("appvars_rate_limit_store_up");
    expect(await isUp()).toBe(1);
    await redis.process.kill();
    await expect.poll(isUp).toBe(0);
    const { scrape } = await serveWithMetrics();
    expect(await scrape()).not.toContain("appvars_rate_limit_store_up");
  });
});

describe("the dashboard and the alert rules", () => {
  it("the alert rules pass `promtool check rules`", (context) => {
    const { status, output } = promtool(context, ["check", "rules", join(DOCS, "alerts.yml")]);
    expect([status, output]).toEqual([0, expect.stringContaining("5 rules found")]);
  });
});

it("the metrics pass `promtool check metrics`", async (context) => {
  const key = { name: "ana", api_key: "ana-key", api_secret: "secret", valid_until: "2999-12-31T00:00:00Z" };
  const data = edited((copy) => {
    copy.environments[0].keys = [key];
  });
  expect(promtool(context, ["check", "metrics"], await scrapeAfterRequests(data))).toEqual({ status: 0, output: "" });
});
