import { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { startChild } from "../../../../src/kit/process/child.js";
import { comesFromTerminal } from "../../../../src/kit/process/signals.js";

it("a signal for a program on WindowsSupport kills it with its descendants, or does nothing", async () => {
  const prepareProgram = ([command, ...args]: readonly [string, ...string[]]) => ({
    command,
    args,
  });
  const killTree = vi.fn(
    (root: { kill: (name: "SIGKILL") => boolean }) => void root.kill("SIGKILL"),
  );
  const starter = { platform: "win32", env: {}, warn: () => {} } as const;
  const command = [process.execPath, "--eval", "setInterval(() => {}, 1000)"] as const;
  const child = startChild(command, {}, starter, {
    isPiped: true,
    windows: { prepareProgram, killTree },
  });
  child.signal("SIGHUP");
  expect(killTree).not.toHaveBeenCalled();
  child.signal("SIGTERM");
  expect(await child.exitCode).toBe(137);
  child.signal("SIGKILL");
  expect(killTree).toHaveBeenCalledTimes(1);
});

it("the console of WindowsSupport has sent each signal to the program too", () => {
  for (const name of ["SIGINT", "SIGHUP", "SIGBREAK"] as const)
    expect(comesFromTerminal(name, "win32")).toBe(true);
  expect(comesFromTerminal("SIGHUP", "linux")).toBe(false);
});

it("a signal to end that arrives twice at once, as from timeout(1), is forwarded once", async () => {
  const starter = { platform: "linux", env: {}, warn: () => {} } as const;
  const script =
    'for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => {}); console.log("ready"); setInterval(() => {}, 1000)';
  const child = startChild([process.execPath, "--eval", script], {}, starter, { isPiped: true });
  await once(child.stdout as Readable, "data");
  const kill = vi.spyOn(ChildProcess.prototype, "kill");
  const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const emit = (name: NodeJS.Signals) => process.emit(name, name);
  emit("SIGTERM");
  emit("SIGTERM");
  expect(kill.mock.calls).toEqual([["SIGTERM"]]);
  emit("SIGHUP");
  emit("SIGHUP");
  expect(kill).toHaveBeenCalledTimes(3);
  emit("SIGTERM");
  now.mockReturnValue(1_100);
  emit("SIGTERM");
  expect(kill).toHaveBeenCalledTimes(5);
  child.signal("SIGKILL");
  expect(await child.exitCode).toBe(137);
});
