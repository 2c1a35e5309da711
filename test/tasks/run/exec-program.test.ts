import { expect, it } from "vitest";
import { UsageError } from "../../../src/kit/text/errors.js";
import { requireExecve } from "../../../src/tasks/run/exec-program.js";

const execve = () => {
  throw new Error("called");
};

it.each([
  [
    "linux",
    undefined,
    `--exec needs Node 22.15, 23.11 or newer; this is Node ${process.versions.node}`,
  ],
  ["win32", execve, "--exec can't be used on Windows"],
] as const)("a process is not replaced on %s with %s", (platform, replace, message) => {
  expect(() => requireExecve(platform, replace)).toThrow(new UsageError(message));
});

it("a process is replaced on other platforms with Node's function", () => {
  for (const platform of ["linux", "darwin", "freebsd"] as const)
    expect(requireExecve(platform, execve)).toBeTypeOf("function");
});
