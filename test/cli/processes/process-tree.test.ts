import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  descendantsOf,
  endDescendants,
  listProcesses,
  type Process,
  readPs,
} from "../../../src/cli/processes/process-tree.js";

/** A shell that waits for another one, which waits for a third. */
async function family() {
  const script = "sh -c 'sh -c \"echo \\$\\$; exec sleep 1000\"; exit'; exit";
  const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
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

it("no processes are listed on Windows, where a ps in the current folder would be started", () => {
  expect(listProcesses("win32")).toEqual([]);
});

describe("the descendants of a process", () => {
  it("the descendants of a process are still known, and reached, after it has ended", async () => {
    const { child, pid, youngest } = await family();
    const descendants = descendantsOf(pid);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([descendants.areGone(), isListed(youngest)]).toEqual([false, true]);
    await endDescendants(descendants);
    expect(isListed(youngest)).toBe(false);
  });

  it("the descendants of a process do not include the process itself", async () => {
    const { child, pid, end } = await family();
    onTestFinished(end);
    const descendants = descendantsOf(pid);
    descendants.signal("SIGSTOP");
    descendants.signal("SIGKILL");
    // The shells go on to their `exit`, with the code of what was killed.
    expect(await once(child, "exit")).toEqual([137, null]);
  });
});

describe("a look at made-up processes", () => {
  const self = process.pid;
  const look = (list: Process[], later: Process[]) => {
    const answers = [list, later];
    return descendantsOf(-2, () => answers.shift() ?? later).areGone();
  };
  const root = { pid: -2, parent: 1, started: "1" };
  const child = { pid: self, parent: -2, started: "2" };

  it("descendantsOf finds a process that was started later", () => {
    expect(look([root], [root, child])).toBe(false);
  });

  it("descendantsOf does not mistake a process for an earlier one with the same id", () => {
    expect(look([root, child], [{ ...child, parent: 1 }])).toBe(false);
    expect(look([root, child], [{ ...child, parent: 1, started: "3" }])).toBe(true);
    expect(look([root], [{ ...root, started: "3" }, child])).toBe(true);
  });

  it("descendantsOf ends when processes are each other's parents", () => {
    expect(look([root, child], [root, { ...child, parent: self }])).toBe(false);
  });

  it("descendantsOf finds nothing for a process that was not started", () => {
    expect(descendantsOf(undefined).areGone()).toBe(true);
  });
});

describe("the list of processes", () => {
  it.each([
    ["listProcesses", listProcesses],
    ["readPs", readPs],
  ])("%s finds this process and its parent", (_whose, list) => {
    const us = list().find(({ pid }) => pid === process.pid);
    expect(us).toMatchObject({ parent: process.ppid, started: expect.stringMatching(/./) });
  });
});
