import { expect, onTestFinished } from "vitest";
import { runCli } from "./cli.js";
import { DATA } from "./data.js";
import { dataFile } from "./data-file.js";
import { DEV_HEADERS } from "./http.js";

/** `serve` with metrics. It ends with the current test, if not before. */
export async function serveWithMetrics(flags: string[] = [], data: unknown = DATA) {
  const { path, write } = await dataFile(data);
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
export async function scrapeAfterRequests(data: unknown = DATA) {
  const { url, scrape } = await serveWithMetrics([], data);
  const headers = { ...DEV_HEADERS, "x-forwarded-for": "192.0.2.77" };
  for (const path of [
    "/v1/variables-values-by-name/DATABASE_URL/content",
    "/v1/variables?token=hunter2",
    "/hunter2",
  ])
    await fetch(url + path, { headers });
  await fetch(`${url}/v1/variables`, {
    headers: { "x-api-key": "hunter2", "x-api-secret": "hunter2" },
  });
  await expect.poll(scrape).toContain('status="401"');
  return scrape();
}
