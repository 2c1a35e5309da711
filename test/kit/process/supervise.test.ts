import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GRACE_MS } from "../../../src/kit/process/process-tree.js";
import { supervise } from "../../../src/kit/process/supervise.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A supervisor of programs that only log, and end when the test says so. */
function supervised() {
  const log: string[] = [];
  let end: (code: number) => void = () => {};
  let left = 0;
  const descendants = {
    signal: (name: NodeJS.Signals) => void log.push(`${name} to the descendants`),
    areGone: () => left === 0,
  };
  const start = (program: string) => {
    log.push(`start ${program}`);
    const exitCode = new Promise<number>((resolve) => {
      end = resolve;
    });
    const signal = (name: NodeJS.Signals) => void log.push(`${name} to ${program}`);
    return { exitCode, signal, descendants: () => descendants };
  };
  const supervisor = supervise<string>("one", start);
  const ends = async (code: number) => {
    end(code);
    await vi.advanceTimersByTimeAsync(0);
  };
  const leaves = (count: number) => {
    left = count;
  };
  return { supervisor, log, ends, leaves };
}

describe("a supervised program", () => {
  it("ends with its own exit code", async () => {
    const { supervisor, ends } = supervised();
    await ends(42);
    expect(await supervisor.exitCode).toBe(42);
  });

  it("restart ends the program and starts it with the new values", async () => {
    const { supervisor, log, ends } = supervised();
    supervisor.restart("two");
    expect(log).toEqual(["start one", "SIGTERM to one"]);
    await ends(143);
    expect(log.slice(2)).toEqual(["SIGTERM to the descendants", "start two"]);
    expect(vi.getTimerCount()).toBe(0);
    await ends(7);
    expect(await supervisor.exitCode).toBe(7);
  });

  it("restart kills a program that does not end", async () => {
    const { supervisor, log, ends } = supervised();
    supervisor.restart("two");
    await vi.advanceTimersByTimeAsync(GRACE_MS);
    expect(log.slice(2)).toEqual(["SIGKILL to one"]);
    await ends(137);
    expect(log.at(-1)).toBe("start two");
  });

  it("restart waits until the descendants of the program are gone, and kills them if they stay", async () => {
    const { supervisor, log, ends, leaves } = supervised();
    supervisor.restart("two");
    leaves(2);
    await ends(143);
    leaves(1);
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
    expect(log.at(-1)).toBe("SIGTERM to the descendants");
    await vi.advanceTimersByTimeAsync(1);
    expect(log.at(-1)).toBe("SIGKILL to the descendants");
    leaves(0);
    await vi.advanceTimersToNextTimerAsync();
    expect(log.at(-1)).toBe("start two");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("restart during a restart starts the program with the last values only", async () => {
    const { supervisor, log, ends } = supervised();
    supervisor.restart("two");
    supervisor.restart("three");
    await ends(143);
    expect(log).toEqual([
      "start one",
      "SIGTERM to one",
      "SIGTERM to the descendants",
      "start three",
    ]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)(
    "a restart under way is dropped after %s",
    async (name) => {
      const { supervisor, log, ends } = supervised();
      supervisor.restart("two");
      process.emit(name, name);
      await ends(143);
      expect(await supervisor.exitCode).toBe(143);
      expect(log).toEqual(["start one", "SIGTERM to one", "SIGTERM to the descendants"]);
    },
  );

  it("restart does nothing after SIGTERM", async () => {
    const { supervisor, log, ends } = supervised();
    process.emit("SIGTERM", "SIGTERM");
    supervisor.restart("two");
    await ends(0);
    expect(await supervisor.exitCode).toBe(0);
    expect(log).toEqual(["start one", "SIGTERM to the descendants"]);
  });

  it("restart works after a signal that the program has handled itself", async () => {
    const { supervisor, log, ends } = supervised();
    process.emit("SIGINT", "SIGINT");
    supervisor.restart("two");
    process.emit("SIGUSR1", "SIGUSR1");
    await ends(143);
    expect(log.at(-1)).toBe("start two");
  });
});
