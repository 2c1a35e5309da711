import { expect, it, vi } from "vitest";
import type { Context } from "../../../src/cli/output/context.js";
import { comesFromTerminal, startChild } from "../../../src/cli/processes/child.js";

it("a signal for a program on Windows kills it with its descendants, or does nothing", async () => {
  const prepareProgram = ([command, ...args]: readonly [string, ...string[]]) => ({ command, args });
  const killTree = vi.fn((root: { kill: (name: "SIGKILL") => boolean }) => void root.kill("SIGKILL"));
  const context = { io: { platform: "win32", env: {} } } as Context;
  const command = [process.execPath, "--eval", "setInterval(() => {}, 1000)"] as const;
  const child = startChild(command, {}, context, { isPiped: true, windows: { prepareProgram, killTree } });
  child.signal("SIGHUP");
  expect(killTree).not.toHaveBeenCalled();
  child.signal("SIGTERM");
  expect(await child.exitCode).toBe(137);
  child.signal("SIGKILL");
  expect(killTree).toHaveBeenCalledTimes(1);
});

it("the console of Windows has sent each signal to the program too", () => {
  for (const name of ["SIGINT", "SIGHUP", "SIGBREAK"] as const) expect(comesFromTerminal(name, "win32")).toBe(true);
  expect(comesFromTerminal("SIGHUP", "linux")).toBe(false);
});
