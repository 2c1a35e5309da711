import { describe, expect, it } from "vitest";
import {
  descendantsOf,
  listProcesses,
  type Process,
} from "../../../src/kit/process/process-tree.js";

it("no processes are listed on Windows, where a ps in the current folder would be started", () => {
  expect(listProcesses("win32")).toEqual([]);
});

describe("a look at made-up processes", () => {
  const self = process.pid;
  const look = (list: Process[], later: Process[]) => {
    const answers = [list, later];
    return descendantsOf(-2, () => answers.shift() ?? later).areGone();
  };
  const root = { pid: -2, parent: 1, startedAt: "1" };
  const child = { pid: self, parent: -2, startedAt: "2" };

  it("descendantsOf finds a process that was started later", () => {
    expect(look([root], [root, child])).toBe(false);
  });

  it("descendantsOf does not mistake a process for an earlier one with the same id", () => {
    expect(look([root, child], [{ ...child, parent: 1 }])).toBe(false);
    expect(look([root, child], [{ ...child, parent: 1, startedAt: "3" }])).toBe(true);
    expect(look([root], [{ ...root, startedAt: "3" }, child])).toBe(true);
  });

  it("descendantsOf ends when processes are each other's parents", () => {
    expect(look([root, child], [root, { ...child, parent: self }])).toBe(false);
  });

  it("descendantsOf finds nothing for a process that was not started", () => {
    expect(descendantsOf(undefined).areGone()).toBe(true);
  });
});
