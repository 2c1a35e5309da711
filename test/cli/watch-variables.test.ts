import { describe, expect, it } from "vitest";
import { changedNames, LONGEST_SETTLE_MS, SETTLE_MS, watchVariables } from "../../src/cli/watch-variables.js";

type Values = Record<string, string>;

/** Watches a list of answers, one a look, without any time passing; ends when there are no more. */
async function watch(initial: Values, answers: readonly (Values | Error)[]): Promise<string[]> {
  const log: string[] = [];
  const left = [...answers];
  const watching = watchVariables(initial, {
    read: async () => {
      const answer = left.shift() as Values | Error;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    textsOf: (values) => new Map(Object.entries(values)),
    interval: 5_000,
    wait: async (milliseconds) => {
      if (left.length === 0) throw new Error("no more");
      log.push(`wait ${milliseconds}`);
    },
    onChange: (names, values) => log.push(`change ${names.join(",")} to ${JSON.stringify(values)}`),
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

  it("tells of a change once it has stayed for a moment", async () => {
    expect(await watch({ A: "1" }, [{ A: "2" }, { A: "2" }, { A: "2" }])).toEqual([
      LOOK,
      SETTLE,
      'change A to {"A":"2"}',
      LOOK,
    ]);
  });

  it("makes one change of a burst", async () => {
    const burst = [{ A: "2" }, { A: "3" }, { A: "3", B: "1" }, { A: "3", B: "1" }];
    expect(await watch({ A: "1" }, burst)).toEqual([LOOK, SETTLE, SETTLE, SETTLE, 'change A,B to {"A":"3","B":"1"}']);
  });

  it("does not wait for ever when there is always another change", async () => {
    const answers = Array.from({ length: 20 }, (_, index) => ({ A: `${index}` }));
    const looks = LONGEST_SETTLE_MS / SETTLE_MS;
    const log = await watch({ A: "1st" }, answers);
    expect(log.slice(0, looks + 2)).toEqual([LOOK, ...Array(looks).fill(SETTLE), `change A to {"A":"${looks}"}`]);
  });

  it("makes nothing of a change that is taken back", async () => {
    expect(await watch({ A: "1" }, [{ A: "2" }, { A: "1" }, { A: "1" }])).toEqual([LOOK, SETTLE, LOOK]);
  });

  it("tells once of a problem that lasts, and once that it is over, and changes nothing", async () => {
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

  it("looks again from the start when a change can't be confirmed", async () => {
    expect(await watch({ A: "1" }, [{ A: "2" }, new Error("down"), { A: "2" }, { A: "2" }])).toEqual([
      LOOK,
      SETTLE,
      "problem down",
      LOOK,
      "well again",
      SETTLE,
      'change A to {"A":"2"}',
    ]);
  });
});

describe("changedNames", () => {
  it("are what was added, removed and changed, in order", () => {
    const before = new Map([
      ["SAME", "x"],
      ["GONE", "x"],
      ["NEW_TEXT", "x"],
    ]);
    const after = new Map([
      ["ADDED", ""],
      ["SAME", "x"],
      ["NEW_TEXT", "y"],
    ]);
    expect(changedNames(before, after)).toEqual(["ADDED", "GONE", "NEW_TEXT"]);
  });
});
