import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.js";
import { quickGet } from "../../src/cli/quick-get.js";
import { runWith } from "../support/cli.js";
import { DATA, DEVELOPMENT } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const CREDENTIALS = { APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };

describe("a get of its own does just what the one under commander does:", () => {
  it.each([
    ["PORT"],
    ["PORT DATABASE_URL FLAGS EMPTY"],
    ["PORT -n"],
    ["-n EMPTY"],
    ["--json PORT FLAGS"],
    ["PORT NOPE"],
    ["PROT --json"],
    ["UNSET"],
    ["-- PORT"],
    ["-- -n"],
    ["PORT --quiet --no-color --timeout 5 --max-wait 0"],
    ["PORT --timeout 0"],
    ["PORT --env test"],
    ["PORT --auth headers"],
    ["PORT --auth basic"],
    ["PORT --api-key other"],
    ["PORT --api-key=dev-key"],
    ["PORT --api-secret-file -"],
    ["PORT --url http://user:password@a"],
    ["PORT --profile nope"],
    ["PORT --url http://127.0.0.1:1 --max-wait 0"],
  ])("get %s", async (line) => {
    const { url } = await runningServer();
    const argv = ["get", ...line.split(" ")];
    const world = { env: { APPVARS_URL: url, ...CREDENTIALS }, stdin: "dev-secret\n" };
    const quick = await runWith((io) => quickGet(argv, io), world);
    expect(quick.code).toBeTypeOf("number");
    expect(quick).toEqual(await runWith((io) => main(argv, io), world));
  });

  it("get with the settings of a project", async () => {
    const { url } = await runningServer();
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, ".appvars.json"), JSON.stringify({ url }));
    const result = await runWith((io) => quickGet(["get", "PORT"], io), { env: CREDENTIALS, cwd });
    expect(result).toEqual({ code: 0, stdout: "3000\n", stderr: "" });
  });

  it("get, told of with --verbose", async () => {
    const { url } = await runningServer();
    const world = { env: { APPVARS_URL: url, ...CREDENTIALS } };
    const { stderr } = await runWith((io) => quickGet(["get", "PORT", "--verbose"], io), world);
    expect(stderr).toMatch(/^appvars: GET \/v1\/variables-values-by-name\/PORT\/content 200 in \d+ ms\n$/);
  });
});

describe("it leaves alone", () => {
  it.each([
    ["list"],
    ["get"],
    ["get --help"],
    ["get PORT --nope"],
    ["get PORT -x"],
    ["get PORT --url"],
    ["--json get A"],
    [""],
  ])("%j", async (line) => {
    const argv = line.split(" ");
    expect(await runWith((io) => quickGet(argv, io))).toEqual({ code: undefined, stdout: "", stderr: "" });
  });

  it("a data file", async () => {
    const { path } = await dataFile(DATA);
    const argv = ["get", "PORT", "--data", path, "--env", "test"];
    expect(await runWith((io) => quickGet(argv, io))).toEqual({ code: undefined, stdout: "", stderr: "" });
  });
});
