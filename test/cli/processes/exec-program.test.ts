import { expect, it } from "vitest";
import { execProgram } from "../../../src/cli/processes/exec-program.js";
import { UsageError } from "../../../src/domain/errors.js";

const execve = () => {
  throw new Error("called");
};

it.each([
  [{ platform: "linux", version: "v22.14.0" }, "--exec needs Node 22.15, 23.11 or newer; this is Node 22.14.0"],
  [{ platform: "win32", version: "v24.0.0", execve }, "--exec can't be used on Windows"],
])("a process is not replaced with %o", (runtime, message) => {
  expect(() => execProgram(runtime)).toThrow(new UsageError(message));
});

it("a process is replaced on other platforms with Node's function", () => {
  for (const platform of ["linux", "darwin", "freebsd"])
    expect(execProgram({ platform, version: "v24.0.0", execve })).toBeTypeOf("function");
});
