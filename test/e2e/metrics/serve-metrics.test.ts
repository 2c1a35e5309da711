import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, type TestContext } from "vitest";
import { edited } from "../../support/data.js";
import { scrapeAfterRequests } from "../../support/serve-with-metrics.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const DOCS = join(import.meta.dirname, "../../../docs");

/** Skips the test if there is no promtool. */
function promtool({ skip }: TestContext, args: string[], input = "") {
  const { error, status, stdout, stderr } = spawnSync("promtool", args, {
    input,
    encoding: "utf8",
  });
  skip(error !== undefined, "promtool is missing: it is in Debian's package prometheus");
  return { status, output: stdout + stderr };
}

describe("the dashboard and the alert rules", () => {
  it("the alert rules pass `promtool check rules`", (context) => {
    const { status, output } = promtool(context, ["check", "rules", join(DOCS, "alerts.yml")]);
    expect([status, output]).toEqual([0, expect.stringContaining("6 rules found")]);
  });
});

const KEY_EXPIRY = 'appvars_key_expiry_seconds{environment="shop/test",client="ana"}';

/**
 * What a test of rules in Prometheus expects: how many alerts of a rule fire after so many hours.
 */
type Expected = Readonly<Record<number, number>>;

describe("the alert", () => {
  it.for<[what: string, alert: string, series: Readonly<Record<string, string>>, Expected]>([
    [
      "AppvarsKeyExpires fires from 14 days before a key expires until the key is removed",
      "AppvarsKeyExpires",
      // Begins 15 days before that, and ends a day after.
      { [KEY_EXPIRY]: `${15 * 86_400}-3600x384 stale` },
      { 0: 0, 23: 0, 26: 1, 359: 1, 361: 1, 383: 1, 386: 0 },
    ],
    [
      "AppvarsDataOld fires while data of more than an hour ago can't be read again",
      "AppvarsDataOld",
      {
        appvars_data_age_seconds: "0+3600x400",
        appvars_data_last_reload_successful: "1x199 0x99 1x99",
      },
      { 0: 0, 198: 0, 202: 1, 298: 1, 302: 0 },
    ],
    [
      "AppvarsRecordingFailed fires while requests can't be recorded",
      "AppvarsRecordingFailed",
      { appvars_recording_failed: "0x47 1x23 0x99" },
      { 0: 0, 46: 0, 50: 1, 70: 1, 73: 0 },
    ],
  ])("%s", async ([, name, series, expected], context) => {
    const path = join(await temporaryFolder(), "test.yml");
    const promql_expr_test = Object.entries(expected).map(([hours, value]) => ({
      expr: `count(ALERTS{alertname="${name}", alertstate="firing"}) or vector(0)`,
      eval_time: `${hours}h`,
      exp_samples: [{ labels: "{}", value }],
    }));
    const input_series = Object.entries(series).map(([each, values]) => ({ series: each, values }));
    const tests = [{ interval: "1h", input_series, promql_expr_test }];
    await writeFile(
      path,
      JSON.stringify({ rule_files: [join(DOCS, "alerts.yml")], evaluation_interval: "1h", tests }),
    );
    expect(promtool(context, ["test", "rules", path])).toMatchObject({
      status: 0,
      output: expect.stringContaining("SUCCESS"),
    });
  });
});

it("the metrics pass `promtool check metrics`", async (context) => {
  const key = {
    name: "ana",
    api_key: "ana-key",
    api_secret: "secret",
    valid_until: "2999-12-31T00:00:00Z",
  };
  const data = edited((copy) => {
    copy.environments[0].keys = [key];
  });
  expect(promtool(context, ["check", "metrics"], await scrapeAfterRequests(data))).toEqual({
    status: 0,
    output: "",
  });
});
