import { readFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { processIo } from "../../src/cli/start.js";
import { runCli } from "../support/cli.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";

it.each(["-nq PORT", "-qn PORT", "-nqe shop/test DATABASE_URL", "-nqeshop/test DATABASE_URL"])(
  "get %s prints the same with --cache",
  async (line) => {
    const { path } = await dataFile(DATA);
    const world = { env: { APPVARS_DATA: path, APPVARS_ENV: "shop/development" } };
    const plain = await runCli(["get", ...line.split(" ")], world);
    expect(plain.code).toBe(0);
    expect(await runCli(["get", "--cache=1h", ...line.split(" ")], world)).toEqual(plain);
  },
);

describe("calls without a command", () => {
  it.each(["-V", "-v", "--version"])("%s prints the version", async (flag) => {
    const { version } = JSON.parse(
      await readFile(new URL("../../package.json", import.meta.url), "utf8"),
    );
    const printed = await runCli([flag]);
    expect(printed).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each([
    ["gte", "unknown command 'gte' (did you mean get?)"],
    ["ls --json", "unknown command 'ls' (did you mean list?)"],
    ["help gte", "unknown command 'gte' (did you mean get?)"],
    ["--quiet nothing-like-it --help", "unknown command 'nothing-like-it'; see --help"],
    ["", "unknown command ''; see --help"],
  ])("an unknown command is an error: %s", async (line, message) => {
    const argv = line.split(" ");
    const { code, stderr } = await runCli(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(
      argv.includes("--json") ? JSON.stringify({ error: { code: "usage", message } }) : message,
    );
  });
});

it("Ctrl-Break, which only Windows has, stops a command", async () => {
  const stopped = processIo().untilStopped({ isStarting: false, reload: () => {} });
  process.emit("SIGBREAK", "SIGBREAK");
  await stopped;
});

it("the clock that durations are measured with does not go back when the time of day is set back", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { clock, ticks } = processIo().surroundings;
  const before = { clock: clock(), ticks: ticks() };
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(clock()).toBeLessThan(before.clock);
  expect(ticks()).toBeGreaterThanOrEqual(before.ticks);
});
