import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { runCli } from "../../support/cli.js";
import { DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { DEV_HEADERS } from "../../support/http.js";
import { needs } from "../../support/needed-program.js";
import { startRedis } from "../../support/redis.js";

const DOCS = join(import.meta.dirname, "../../../docs");
/** Skips the test if there is no promtool. */
function promtool({ skip }: TestContext, args: string[], input = "") {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, { input, encoding: "utf8" });
  skip(error !== undefined, "promtool is missing: it is in Debian's package prometheus");
  return { status, output: stdout + stderr };
}

/** `serve` with metrics. It ends with the current test, if not before. */
async function serveWithMetrics(flags: string[] = []) {
  const { path, write } = await dataFile(DATA);
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const output = { stderr: "", stdout: "" };
  const argv = ["serve", "--data", path, "--port", "0", "--metrics", "0", ...flags];
  const ended = runCli(argv, {
    untilStopped: () => stopped,
    onStdout: (text) => {
      output.stdout += text;
    },
    onStderr: (text) => {
      output.stderr += text;
    },
  });
  onTestFinished(async () => {
    stop();
    await ended;
  });
  await expect.poll(() => output.stdout).toContain("APPVARS_URL=");
  const [, metricsUrl = ""] = /metrics on (\S+)$/m.exec(output.stderr) ?? [];
  const [, url = ""] = /APPVARS_URL=(\S+)/.exec(output.stdout) ?? [];
  const scrape = async () => (await fetch(metricsUrl)).text();
  const value = async (series: string) => {
    const line = (await scrape()).split("\n").find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length));
  };
  const stopNow = () => {
    stop();
    return ended;
  };
  return { url, metricsUrl, stderr: output.stderr, write, scrape, value, stop: stopNow };
}

/** A scrape after requests of several kinds. */
async function scrapeAfterRequests() {
  const { url, scrape } = await serveWithMetrics(["--rate-limit-store", "redis://127.0.0.1:1"]);
  const headers = { ...DEV_HEADERS, "x-forwarded-for": "192.0.2.77" };
  for (const path of ["/v1/variables-values-by-name/DATABASE_URL/content", "/v1/variables?token=hunter2", "/hunter2"])
    await fetch(url + path, { headers });
  await fetch(`${url}/v1/variables`, { headers: { "x-api-key": "hunter2", "x-api-secret": "hunter2" } });
  await expect.poll(scrape).toContain('status="401"');
  return scrape();
}

describe("serve --metrics", () => {
  it("tells whether the rate limit store can be used, if there is one", needs("redis-server"), async () => {
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
    expect([status, output]).toEqual([0, expect.stringContaining("4 rules found")]);
  });
});

it("the metrics pass `promtool check metrics`", async (context) => {
  expect(promtool(context, ["check", "metrics"], await scrapeAfterRequests())).toEqual({ status: 0, output: "" });
});
