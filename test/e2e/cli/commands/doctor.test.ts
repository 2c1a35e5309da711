import { describe, expect, it } from "vitest";
import { type CliOptions, runCli } from "../../../support/cli.js";
import { DEVELOPMENT } from "../../../support/data.js";

const CREDENTIALS = { APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };
interface Reported {
  check: string;
  verdict: string;
  message: string;
  fix: string | null;
}

/** Runs doctor, and returns the exit code and what it found: `{ clock: { verdict, message, fix } }`. */
async function doctor(url: string | URL, argv: string[] = [], options: CliOptions = {}) {
  const env = { APPVARS_URL: new URL(url).origin, ...CREDENTIALS, ...options.env };
  const { code, stdout, stderr } = await runCli(["doctor", "--json", ...argv], { ...options, env });
  const report = JSON.parse(stdout) as Reported[];
  expect(stderr).toBe("");
  expect(stdout).not.toContain("secret-of-none");
  const verdicts = Object.fromEntries(report.map(({ check, verdict }) => [check, verdict]));
  return { code, report, verdicts, of: (name: string) => report.find(({ check }) => check === name) };
}

describe("doctor with a server", () => {
  it("doctor finds a host that does not exist", async () => {
    // No resolver is asked for a label of more than 63 characters.
    const { code, of } = await doctor(`http://${"a".repeat(64)}.invalid`);
    expect([code, of("reachability")]).toMatchObject([
      5,
      { verdict: "problem", message: expect.stringMatching(/no such host/) },
    ]);
  });
});
