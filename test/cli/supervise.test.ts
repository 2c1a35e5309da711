import { describe, expect, it } from "vitest";
import { GRACE_MS } from "../../src/cli/process-tree.js";
import { supervise } from "../../src/cli/supervise.js";

/** A supervisor of programs that only log, and end when the test says so. */
function supervised() {
  const log: string[] = [];
  let end: (code: number) => void = () => {};
  let timer: (() => void) | undefined;
  let poll: (() => void) | undefined;
  let left = 0;
  const start = (what: string) => {
    log.push(`start ${what}`);
    const exitCode = new Promise<number>((resolve) => {
      end = resolve;
    });
    const signal = (name: NodeJS.Signals) => void log.push(`${name} to ${what}`);
    const rest = { signal: (name: NodeJS.Signals) => void log.push(`${name} to the rest`), areGone: () => left === 0 };
    return { exitCode, signal, descendants: () => rest };
  };
  const schedule = (callback: () => void, milliseconds: number) => {
    if (milliseconds < GRACE_MS) {
      poll = callback;
      return () => {};
    }
    expect(milliseconds).toBe(GRACE_MS);
    timer = callback;
    return () => {
      timer = undefined;
    };
  };
  const supervisor = supervise<string>("one", start, schedule);
  const ends = async (code: number) => {
    end(code);
    await new Promise(setImmediate);
  };
  const leaves = async (count: number) => {
    left = count;
    poll?.();
    await new Promise(setImmediate);
  };
  return { supervisor, log, ends, leaves, graceIsOver: () => timer?.(), isTimed: () => timer !== undefined };
}

describe("a supervised program", () => {
  it("ends with its own exit code", async () => {
    const { supervisor, ends } = supervised();
    await ends(42);
    expect(await supervisor.exitCode).toBe(42);
  });

  it("is ended and started with what is new", async () => {
    const { supervisor, log, ends, isTimed } = supervised();
    supervisor.restart("two");
    expect(log).toEqual(["start one", "SIGTERM to one"]);
    await ends(143);
    expect(log.slice(2)).toEqual(["SIGTERM to the rest", "start two"]);
    expect(isTimed()).toBe(false);
    await ends(7);
    expect(await supervisor.exitCode).toBe(7);
  });

  it("is killed when it does not end", async () => {
    const { supervisor, log, ends, graceIsOver } = supervised();
    supervisor.restart("two");
    graceIsOver();
    expect(log.slice(2)).toEqual(["SIGKILL to one"]);
    await ends(137);
    expect(log.at(-1)).toBe("start two");
  });

  it("is not started anew before what it had started is gone, which is killed when it stays", async () => {
    const { supervisor, log, ends, leaves, graceIsOver, isTimed } = supervised();
    supervisor.restart("two");
    await leaves(2);
    await ends(143);
    await leaves(1);
    expect(log.at(-1)).toBe("SIGTERM to the rest");
    graceIsOver();
    expect(log.at(-1)).toBe("SIGKILL to the rest");
    await leaves(0);
    expect(log.at(-1)).toBe("start two");
    expect(isTimed()).toBe(false);
  });

  it("is started with the newest when more changes while it ends", async () => {
    const { supervisor, log, ends } = supervised();
    supervisor.restart("two");
    supervisor.restart("three");
    await ends(143);
    expect(log).toEqual(["start one", "SIGTERM to one", "SIGTERM to the rest", "start three"]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)("is not started anew after %s", async (name) => {
    const { supervisor, log, ends } = supervised();
    supervisor.restart("two");
    supervisor.onSignal(name);
    await ends(143);
    expect(await supervisor.exitCode).toBe(143);
    expect(log).toEqual(["start one", "SIGTERM to one", "SIGTERM to the rest"]);
  });

  it("is not restarted by a change after it was asked to end", async () => {
    const { supervisor, log, ends } = supervised();
    supervisor.onSignal("SIGTERM");
    supervisor.restart("two");
    await ends(0);
    expect(await supervisor.exitCode).toBe(0);
    expect(log).toEqual(["start one", "SIGTERM to the rest"]);
  });

  it("is restarted although it got a signal that is its own matter", async () => {
    const { supervisor, log, ends } = supervised();
    supervisor.onSignal("SIGINT");
    supervisor.restart("two");
    supervisor.onSignal("SIGUSR1");
    await ends(143);
    expect(log.at(-1)).toBe("start two");
  });
});
