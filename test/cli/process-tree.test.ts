import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { descendantsOf, endRest, listProcesses, type Process, readPs } from "../../src/cli/process-tree.js";
import { schedule } from "../../src/cli/schedule.js";

/** A shell that waits for another one, which waits for a third. */
async function family() {
  const script = "sh -c 'sh -c \"echo \\$\\$; exec sleep 1000\"; exit'; exit";
  const child = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const end = () => process.kill(-(child.pid as number), "SIGKILL");
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, pid: child.pid as number, youngest: Number(line), end };
}

const isListed = (id: number) => listProcesses().some(({ pid }) => pid === id);

describe("the descendants of a process", () => {
  it("are still known, and reached, after it has ended", async () => {
    const { child, pid, youngest } = await family();
    const rest = descendantsOf(pid);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect([rest.areGone(), isListed(youngest)]).toEqual([false, true]);
    await endRest(rest, schedule);
    expect(isListed(youngest)).toBe(false);
  });

  it("do not have the process itself among them", async () => {
    const { child, pid, end } = await family();
    onTestFinished(() => void end());
    const rest = descendantsOf(pid);
    rest.signal("SIGSTOP");
    rest.signal("SIGKILL");
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

  it("finds one that came later", () => {
    expect(look([root], [root, child])).toBe(false);
  });

  it("takes one with the id of another for what it is", () => {
    expect(look([root, child], [{ ...child, parent: 1 }])).toBe(false);
    expect(look([root, child], [{ ...child, parent: 1, started: "3" }])).toBe(true);
    expect(look([root], [{ ...root, started: "3" }, child])).toBe(true);
  });

  it("does not go round in circles", () => {
    expect(look([root, child], [root, { ...child, parent: self }])).toBe(false);
  });

  it("finds nothing for what was not started", () => {
    expect(descendantsOf(undefined).areGone()).toBe(true);
  });
});

describe("the list of processes", () => {
  it.each([
    ["the system's own", listProcesses],
    ["that of ps", readPs],
  ])("%s has us and our parent", (_whose, list) => {
    const us = list().find(({ pid }) => pid === process.pid);
    expect(us).toMatchObject({ parent: process.ppid, started: expect.stringMatching(/./) });
  });
});
