import { describe, expect, it } from "vitest";
import { Client } from "../../src/client/client.js";
import { type DataVersion, newestVersion } from "../../src/client/newest-data.js";
import { ServerError } from "../../src/kit/text/errors.js";
import { httpPeer } from "./peer.js";

const OLDER = "the server has older data than it had before: one of its replicas may be cut off";
const SECOND = 1_000;

const headers = (version: string, age: number | string) => ({
  "appvars-version": version,
  "appvars-data-age": String(age),
});

/** Answers in a row: the second at which each is received, its version, and its age in seconds. */
type Answers = readonly (readonly [at: number, version: string, age: number])[];

/** Which of the answers are used. */
function used(answers: Answers): boolean[] {
  let newest: DataVersion | undefined;
  return answers.map(([at, version, age]) => {
    try {
      newest = newestVersion(newest, headers(version, age), at * SECOND, at * SECOND);
      return true;
    } catch (error) {
      expect(error).toEqual(new ServerError(OLDER, 503));
      return false;
    }
  });
}

describe("the newest data of a store", () => {
  it.each<[string, Answers, boolean[]]>([
    [
      "answers of later versions are used",
      [
        [0, "1-a", 0],
        [1, "2-b", 0],
        [2, "9-c", 1],
      ],
      [true, true, true],
    ],
    [
      "one of an earlier version is not, however young or old it says it is",
      [
        [0, "2-b", 0],
        [0, "1-a", 0],
        [5, "1-a", 60],
        [60, "1-a", 61],
      ],
      [true, false, false, false],
    ],
    [
      "limited keys: another revision is used once it was certainly the newest later",
      [
        [0, "1-a", 0],
        [0.5, "1-b", 0],
        [1.1, "1-b", 0],
        [1.2, "1-a", 0],
        [1.2, "1-b", 0],
        [9, "1-a", 8],
      ],
      [true, false, true, false, true, false],
    ],
    [
      "one of an earlier version is used once it was the newest after the later one: the cluster was restored",
      [
        [0, "9-i", 0],
        [1, "4-x", 1],
        [2, "4-x", 0],
      ],
      [true, false, true],
    ],
    [
      "one of the same number and another write counts as another version",
      [
        [0, "5-a", 0],
        [0, "5-b", 0],
        [3, "5-b", 0],
      ],
      [true, false, true],
    ],
    [
      "after a restore, the data before it is not used any more",
      [
        [0, "9-i", 0],
        [3, "4-x", 0],
        [4, "9-i", 4],
        [9, "9-i", 9],
      ],
      [true, true, false, false],
    ],
    [
      "after a restore, its next versions are used",
      [
        [0, "9-i", 0],
        [3, "4-x", 0],
        [4, "5-y", 0],
        [5, "12-z", 0],
      ],
      [true, true, true, true],
    ],
    [
      "the longer a version is seen, the later one must be the newest to replace it",
      [
        [0, "9-i", 0],
        [30, "9-i", 0],
        [31, "4-x", 10],
        [31, "4-x", 0],
        [33, "4-x", 0],
      ],
      [true, true, false, false, true],
    ],
  ])("%s", (_rule, answers, expected) => {
    expect(used(answers)).toEqual(expected);
  });

  it("a slow answer does not count as young", () => {
    const newest = newestVersion(undefined, headers("9-i", 0), 0, 0);
    // Its data was the newest at some time between.
    expect(() => newestVersion(newest, headers("4-x", 0), 0, 60 * SECOND)).toThrow(OLDER);
  });

  it.each([
    {},
    { "appvars-version": "1-a" },
    { "appvars-data-age": "0" },
    ...[
      "",
      "1",
      "a-1",
      "-1-a",
      "1-",
      "1-a b",
      "1.5-a",
      `${"9".repeat(16)}-a`,
      `1-${"a".repeat(65)}`,
    ].map((version) => headers(version, 0)),
    ...["", "-1", "1.5", "soon"].map((age) => headers("1-a", age)),
  ])("an answer without a version and an age is used, and not remembered: %j", (answer) => {
    const before = newestVersion(undefined, headers("9-i", 0), 0, 0);
    const newest = newestVersion(before, answer, SECOND, SECOND);
    expect(() => newestVersion(newest, headers("1-a", 0), SECOND / 2, SECOND / 2)).toThrow(OLDER);
  });
});

type Replica = readonly [version: string, age: number, value: number];

/** A client of replicas behind a balancer, which takes turns. */
async function clientOf(...first: Replica[]) {
  const world = { replicas: first, requests: 0, now: 0 };
  const { url } = await httpPeer((_req, res) => {
    const [version, age, value] = world.replicas[world.requests++ % first.length] as Replica;
    const body = JSON.stringify({ type: "NUMBER", value });
    res.writeHead(200, { "Content-Type": "application/json", ...headers(version, age) }).end(body);
  });
  const sleep = async (seconds: number) => {
    world.now += seconds * SECOND;
  };
  const options = { apiKey: "key", apiSecret: "secret", url, auth: "headers" as const };
  const client = new Client(options, { ticks: () => world.now, random: () => 0, sleep });
  const read = async () => (await client.getContentByName("PORT")).value;
  /** What six requests see, from now on. */
  const seen = async (...replicas: Replica[]) => {
    world.replicas = replicas;
    const values = [];
    for (let reads = 0; reads < 6; reads++) values.push(await read());
    return [...new Set(values)];
  };
  return { world, read, seen };
}

describe("a client of several replicas", () => {
  it("a client never goes back to the data of a replica that is cut off, and asks again", async () => {
    const { world, seen } = await clientOf(["7-g", 0, 1], ["7-g", 0, 1]);
    expect(await seen(["7-g", 0, 1], ["7-g", 0, 1])).toEqual([1]);
    expect(await seen(["8-h", 0, 2], ["8-h", 0, 2])).toEqual([2]);
    const before = world.requests;
    for (let age = 10; age < 60; age += 10) {
      world.now += 10 * SECOND;
      expect(await seen(["8-h", 0, 2], ["7-g", age, 1])).toEqual([2]);
    }
    // Each answer of the old one was ignored.
    expect(world.requests - before).toBeGreaterThan(5 * 6);
  });

  it("a client takes the lower version of a restored cluster, and no later one of a replica that is cut off", async () => {
    const { world, seen } = await clientOf(["7-g", 0, 1], ["7-g", 0, 1]);
    expect(await seen(["7-g", 0, 1], ["7-g", 0, 1])).toEqual([1]);
    world.now += 5 * SECOND;
    expect((await seen(["7-g", 5, 1], ["3-c", 0, 30])).at(-1)).toBe(30);
    world.now += 10 * SECOND;
    expect(await seen(["7-g", 15, 1], ["3-c", 0, 30])).toEqual([30]);
  });

  it("a client gives up if all have older data than it has seen", async () => {
    const { world, read } = await clientOf(["7-g", 0, 1]);
    expect(await read()).toBe(1);
    world.replicas = [["6-f", 3_600, 2]];
    await expect(read()).rejects.toThrow(OLDER);
  });
});
