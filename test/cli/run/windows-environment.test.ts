import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { childEnvironment, inheritedEnvironment } from "../../../src/cli/run/child-variables.js";
import { runCli } from "../../support/cli.js";
import { DATA } from "../../support/data.js";
import { dataFile } from "../../support/data-file.js";

const OURS = { Path: "C:\\bin", SystemRoot: "C:\\Windows", Temp: "C:\\tmp", Port: "9", AppVars_Api_Secret: "hunter2" };
const rules = { pristine: false, passCredentials: false };

it("a program on Windows gets no credential in any case, and with --pristine what programs need to start", () => {
  const { AppVars_Api_Secret, ...others } = OURS;
  expect(inheritedEnvironment(OURS, rules, "win32")).toEqual(others);
  const { Path, SystemRoot, Temp } = OURS;
  expect(inheritedEnvironment(OURS, { ...rules, pristine: true }, "win32")).toEqual({ Path, SystemRoot, Temp });
  expect(inheritedEnvironment(OURS, { ...rules, pristine: true }, "linux")).toEqual({});
});

it("a variable replaces one of another case on Windows, and is beside it elsewhere", () => {
  const variables = [{ name: "PATH", value: "D:\\bin" }];
  expect(childEnvironment({ Path: "C:\\bin", A: "1" }, variables, "win32")).toEqual({ PATH: "D:\\bin", A: "1" });
  expect(childEnvironment({ Path: "C:\\bin" }, variables, "linux")).toEqual({ Path: "C:\\bin", PATH: "D:\\bin" });
});

it("two variables that are one on Windows are refused there", () => {
  const variables = ["PORT", "Port"].map((name) => ({ name, value: 1 }));
  expect(() => childEnvironment({}, variables, "win32")).toThrow("PORT and Port are the same variable on Windows");
  expect(childEnvironment({}, variables, "linux")).toEqual({ PORT: "1", Port: "1" });
});

it("run -f finds a variable of another case on Windows, and the last file wins", async () => {
  const { path } = await dataFile(DATA);
  const files = ["port=4000\n", "Port=5000\n"].map((text, index) => [`${path}.${index}`, text] as const);
  for (const [file, text] of files) await writeFile(file, text);
  const flags = [...files.flatMap(([file]) => ["-f", file]), "--data", path, "--env", "shop/development"];
  const script = "console.log(Object.entries(process.env).filter(([name]) => /^port$/i.test(name)).join())";
  const run = ["run", "--redact", "--only", "PORT", ...flags, "--", process.execPath, "--eval", script];
  expect(await runCli(run, { platform: "win32" })).toMatchObject({ code: 0, stdout: "Port,***\n" });
});

it("run --on-change refuses a signal on Windows, which has none", async () => {
  const line = ["run", "--watch", "--on-change", "signal:HUP", "--", "node"];
  const { code, stderr } = await runCli(line, { platform: "win32" });
  expect([code, stderr]).toEqual([2, expect.stringContaining("Windows has none")]);
});
