import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  descendantsOf,
  endDescendants,
  listProcesses,
  readPs,
} from "../../../../src/kit/process/process-tree.js";

/** A shell that waits for a second, which waits for a third. */
async function family() {
  const script = "sh -c 'sh -c \"echo \\$\\$; exec sleep 1000\"; exit'; exit";
  const child = spawn("sh", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const end = () => {
    try {
      process.kill(-(child.pid as number), "SIGKILL");
    } catch {
      // All of them have ended.
    }
  };
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, pid: child.pid as number, youngest: Number(line), end };
}

const isListed = (id: number) => listProcesses().some(({ pid }) => pid === id);

describe("the descendants of a process", () => {
  it("are still known, and reached, after it has ended", async () => {
    const { child, pid, youngest } = await family();
    const descendants = descendantsOf(pid);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([descendants.areGone(), isListed(youngest)]).toEqual([false, true]);
    await endDescendants(descendants);
    expect(isListed(youngest)).toBe(false);
  });

  it("do not include the process itself", async () => {
    const { child, pid, end } = await family();
    onTestFinished(end);
    const descendants = descendantsOf(pid);
    descendants.signal("SIGSTOP");
    descendants.signal("SIGKILL");
    // The shells go on to their `exit`, with the code of the killed program.
    expect(await once(child, "exit")).toEqual([137, null]);
  });
});

describe("the list of processes", () => {
  it.each([
    ["listProcesses", listProcesses],
    ["readPs", readPs],
  ])("%s finds this process and its parent", (_whose, list) => {
    const us = list().find(({ pid }) => pid === process.pid);
    expect(us).toMatchObject({ parent: process.ppid, startedAt: expect.stringMatching(/./) });
  });
});
