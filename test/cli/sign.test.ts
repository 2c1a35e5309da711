import { expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { DEVELOPMENT } from "../support/data.js";
import { runningServer } from "../support/running-server.js";

const env = { APPVARS_API_SECRET: DEVELOPMENT.apiSecret };

it("prints a header that the server accepts", async () => {
  const { url } = await runningServer();
  const { stdout } = await runCli(["sign", "get", "/v1/variables?limit=2"], { env });
  const headers = { "x-api-key": DEVELOPMENT.apiKey, authorization: stdout.trim() };
  const response = await fetch(`${url}/v1/variables?limit=2`, { headers });
  expect(response.status).toBe(200);
});

it("signs for the time of its clock", async () => {
  const { stdout } = await runCli(["sign", "GET", "/"], { env, clock: () => 1_700_000_000_000 });
  expect(stdout).toMatch(/^HMAC 1700000000000:[0-9a-f]{64}\n$/);
});

it("prints an object with --json", async () => {
  const { stdout } = await runCli(["sign", "GET", "/", "--json"], { env });
  expect(JSON.parse(stdout)).toEqual({ authorization: expect.stringMatching(/^HMAC \d{13}:[0-9a-f]{64}$/) });
});

it("exits with 4 without a secret", async () => {
  expect(await runCli(["sign", "GET", "/"])).toMatchObject({ code: 4, stdout: "" });
});
