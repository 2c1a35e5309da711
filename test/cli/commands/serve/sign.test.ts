import { expect, it } from "vitest";
import { runCli } from "../../../support/cli.js";

it("sign uses the time of this machine's clock", async () => {
  const env = { APPVARS_API_SECRET: "secret" };
  const { stdout } = await runCli(["sign", "GET", "/"], { env, clock: () => 1_700_000_000_000 });
  expect(stdout).toMatch(/^HMAC 1700000000000:[0-9a-f]{64}\n$/);
});
