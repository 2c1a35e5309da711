import { describe, expect, it } from "vitest";
import { runCli } from "../../support/cli.js";
import { CREDENTIALS, DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";
import { runningServer } from "../../support/running-server.js";

/** A program that ends with 42 if it has got the PORT of shop/development. */
const PROGRAM = [process.execPath, "-e", "process.exitCode = process.env.PORT - 2958"];

describe("run in this process", () => {
  it.each([
    ["run --", PROGRAM, 42],
    ["--json -q run --", PROGRAM, 42],
    ["run --quiet --no-color --timeout 5 --max-wait 0 --", PROGRAM, 42],
    ["run --api-secret-file - --", PROGRAM, 42],
    ["run --auth headers --", PROGRAM, 42],
    ["run --auth=basic --", PROGRAM, 2],
    ["run --", ["sh", "-c", 'exit "$1"', "--", "3"], 3],
    ["run --", ["no-such-command", "--json"], 127],
    ["run --json --", ["no-such-command"], 127],
    ["run --timeout 0 --", PROGRAM, 2],
    ["run --url= --", PROGRAM, 2],
    ["run --profile nope --json --", PROGRAM, 2],
    ["run --env test --", PROGRAM, 2],
    ["run --api-key other --", PROGRAM, 4],
    ["run --url http://127.0.0.1:1 --max-wait 0 --", PROGRAM, 5],
  ])("ends with the exit code of the program, or of its error: %s", async (line, program, code) => {
    const { url } = await runningServer();
    const argv = [...line.split(" "), ...program];
    const world = { env: { APPVARS_URL: url, ...CREDENTIALS }, stdin: "dev-secret\n" };
    expect(await runCli(argv, world)).toMatchObject({ code });
  });

  it.each([
    ["run --env shop/development --", 42],
    ["run --env nope --", 3],
    ["run --", 2],
    ["run --data nope.json --env shop/development --", 8],
  ])("ends with such a code, from a data file: %s", async (line, code) => {
    const { path } = await dataFile(DATA);
    const argv = [...line.split(" "), ...PROGRAM];
    const world = { env: { APPVARS_DATA: path } };
    expect(await runCli(argv, world)).toMatchObject({ code });
  });
});
