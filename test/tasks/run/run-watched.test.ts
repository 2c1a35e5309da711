import { describe, expect, it } from "vitest";
import type { ChildVariables } from "../../../src/tasks/run/child-environment.js";
import { SETTLE_MS, watchVariables } from "../../../src/tasks/run/run-watched.js";

type Values = Record<string, string>;

function found(values: Values): ChildVariables {
  return {
    env: {},
    variables: Object.entries(values).map(([name, value]) => ({ name, value })),
    leftOut: [],
    setElsewhere: [],
  };
}

/**
 * Watches a list of answers, one for each reading, without waiting; ends when there are no more.
 */
async function watch(initial: Values, answers: readonly (Values | Error)[]): Promise<string[]> {
  const log: string[] = [];
  const left = [...answers];
  const watching = watchVariables(found(initial), {
    read: async () => {
      const answer = left.shift() as Values | Error;
      if (answer instanceof Error) throw answer;
      return found(answer);
    },
    interval: 5_000,
    wait: async (milliseconds) => {
      if (left.length === 0) throw new Error("no more");
      log.push(`wait ${milliseconds}`);
    },
    onChange: (names, { variables }) => {
      const values = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
      log.push(`change ${names.join(",")} to ${JSON.stringify(values)}`);
    },
    onProblem: (error) => log.push(error ? `problem ${error.message}` : "well again"),
  });
  await expect(watching).rejects.toThrow("no more");
  return log;
}

const LOOK = "wait 5000";
const SETTLE = `wait ${SETTLE_MS}`;

describe("a watch", () => {
  it("does nothing while nothing changes", async () => {
    expect(await watch({ A: "1" }, [{ A: "1" }, { A: "1" }])).toEqual([LOOK, LOOK]);
  });

  it("reports a change once it has lasted for a moment", async () => {
    expect(await watch({ A: "1" }, [{ A: "2" }, { A: "2" }, { A: "2" }])).toEqual([
      LOOK,
      SETTLE,
      'change A to {"A":"2"}',
      LOOK,
    ]);
  });

  it("reports a burst of edits as one change", async () => {
    const burst = [{ A: "2" }, { A: "3" }, { A: "3", B: "1" }, { A: "3", B: "1" }];
    expect(await watch({ A: "1" }, burst)).toEqual([
      LOOK,
      SETTLE,
      SETTLE,
      SETTLE,
      'change A,B to {"A":"3","B":"1"}',
    ]);
  });

  it("names the added, removed and changed variables, in order", async () => {
    const [before, after] = [
      { SAME: "x", GONE: "x", NEW_TEXT: "x" },
      { NEW_TEXT: "y", ADDED: "", SAME: "x" },
    ];
    expect((await watch(before, [after, after])).at(-1)).toMatch(/^change ADDED,GONE,NEW_TEXT /);
  });

  it("ignores a change that is undone immediately", async () => {
    expect(await watch({ A: "1" }, [{ A: "2" }, { A: "1" }, { A: "1" }])).toEqual([
      LOOK,
      SETTLE,
      LOOK,
    ]);
  });

  it("reports once that reading fails, and once that it works again", async () => {
    const down = new Error("down");
    const answers = [down, down, new Error("denied"), { A: "1" }, { A: "1" }, down];
    expect(await watch({ A: "1" }, answers)).toEqual([
      LOOK,
      "problem down",
      LOOK,
      LOOK,
      LOOK,
      "well again",
      LOOK,
      LOOK,
      "problem down",
    ]);
  });

  it("starts over when a change can't be confirmed", async () => {
    expect(
      await watch({ A: "1" }, [{ A: "2" }, new Error("down"), { A: "2" }, { A: "2" }]),
    ).toEqual([LOOK, SETTLE, "problem down", LOOK, "well again", SETTLE, 'change A to {"A":"2"}']);
  });
});
