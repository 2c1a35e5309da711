import { expect, it } from "vitest";
import {
  childEnvironment,
  inheritedEnvironment,
} from "../../../src/tasks/run/child-environment.js";
import { runCli } from "../../support/cli.js";

const OURS = {
  Path: "C:\\bin",
  SystemRoot: "C:\\Windows",
  Temp: "C:\\tmp",
  Port: "9",
  AppVars_Api_Secret: "hunter2",
};
const rules = { pristine: false, passCredentials: false };

it("a program on Windows gets no credential, and with --pristine only variables that programs need to start", () => {
  const { AppVars_Api_Secret, ...others } = OURS;
  expect(inheritedEnvironment(OURS, rules, "win32")).toEqual(others);
  const { Path, SystemRoot, Temp } = OURS;
  expect(inheritedEnvironment(OURS, { ...rules, pristine: true }, "win32")).toEqual({
    Path,
    SystemRoot,
    Temp,
  });
  expect(inheritedEnvironment(OURS, { ...rules, pristine: true }, "linux")).toEqual({});
});

it("a variable replaces one of another case on Windows, and is beside it elsewhere", () => {
  const variables = [{ name: "PATH", value: "D:\\bin" }];
  expect(childEnvironment({ Path: "C:\\bin", A: "1" }, variables, "win32")).toEqual({
    PATH: "D:\\bin",
    A: "1",
  });
  expect(childEnvironment({ Path: "C:\\bin" }, variables, "linux")).toEqual({
    Path: "C:\\bin",
    PATH: "D:\\bin",
  });
});

it("the last of two variables that are one on Windows wins there", () => {
  const variables = ["PORT", "Port"].map((name) => ({ name, value: name }));
  expect(childEnvironment({}, variables, "win32")).toEqual({ Port: "Port" });
  expect(childEnvironment({}, variables, "linux")).toEqual({ PORT: "PORT", Port: "Port" });
});

it("run --on-change refuses a signal on Windows, which has none", async () => {
  const line = ["run", "--watch", "--on-change", "signal:HUP", "--", "node"];
  const { code, stderr } = await runCli(line, { platform: "win32" });
  expect([code, stderr]).toEqual([2, expect.stringContaining("Windows has none")]);
});
