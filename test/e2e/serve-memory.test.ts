import { once } from "node:events";
import { expect, it } from "vitest";
import { BINARY, start } from "../support/binary.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS } from "../support/http.js";
import { aRecord } from "../support/records.js";

const PATIENCE = { timeout: 20_000 };

/** Valid data with a value of so many characters. */
function largeData(length: number): string {
  const value = {
    id: 99,
    variable_id: 99,
    environment_id: 1,
    content: { value: "x".repeat(length) },
  };
  const variable = aRecord({ id: 99, name: "LARGE" });
  return JSON.stringify({
    ...DATA,
    variables: [...DATA.variables, variable],
    values: [...DATA.values, value],
  });
}

it("a reload that would take more than the memory that is left is refused, and the data before it is served on", async () => {
  const { path, write } = await dataFile(DATA);
  const argv = ["--max-old-space-size=150", BINARY, "serve", "--data", path, "--port", "0"];
  const child = start(process.execPath, argv);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    log += text;
  });
  const [stdout] = await once(child.stdout?.setEncoding("utf8") ?? child, "data");
  const url = /http:\S+/.exec(stdout)?.[0];
  const status = async (target: string) =>
    (await fetch(`${url}${target}`, { headers: DEV_HEADERS })).status;
  expect(await status("/healthz")).toBe(200);

  await write(largeData(80_000_000));
  await expect.poll(() => status("/healthz"), PATIENCE).toBe(503);
  expect(await status("/v1/variables/1")).toBe(200);
  expect(log).toContain(`the data file is too large for the memory of this process: it may need 3`);

  await write(DATA);
  await expect.poll(() => status("/healthz"), PATIENCE).toBe(200);
  expect(child.exitCode).toBeNull();
});
