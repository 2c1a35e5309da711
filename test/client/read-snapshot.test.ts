import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Client, type ClientOptions } from "../../src/client/client.js";
import { readConsistent, type SnapshotAttempt } from "../../src/client/read-consistent.js";
import { createBudget } from "../../src/client/retry.js";
import { type NotFoundError, ServerError } from "../../src/kit/text/errors.js";
import { InconsistentAnswersError } from "../../src/model/errors.js";
import { readAll } from "../../src/model/reads/page.js";
import type { Snapshot, VariableSource } from "../../src/model/reads/read.js";
import { readVariableEntries } from "../../src/model/reads/variable-entries.js";
import { DATA, DEVELOPMENT, edited } from "../support/data.js";
import { aRecord, aVariable } from "../support/records.js";
import { switchingServer } from "../support/switching-server.js";
import { httpPeer } from "./peer.js";

const CHANGED = "the data changed while it was being read";
const NEXT = edited((data) => {
  data.values[0].content.value = 4000;
  data.values[1].content.value = "postgres://next";
}) as object;

function clientOf(url: URL, options: Partial<ClientOptions> = {}): VariableSource {
  const client = new Client({ url, ...DEVELOPMENT, ...options });
  onTestFinished(() => client.close());
  return client;
}

const readPair = (snapshot: Snapshot) =>
  Promise.all(
    ["DATABASE_URL", "PORT"].map(async (name) => (await snapshot.getContentByName(name)).value),
  );

describe("a snapshot from a server whose data changes", () => {
  it("a snapshot starts over after an answer of another revision, and reports the pause", async () => {
    const { url, targets } = await switchingServer([DATA, NEXT], {
      pick: (before) => (before === 0 ? 0 : 1),
    });
    const onRetry = vi.fn();
    const client = clientOf(url, { onRetry });
    expect(await client.readSnapshot(readPair)).toEqual(["postgres://next", 4000]);
    expect(targets.length).toBeGreaterThanOrEqual(3);
    expect(onRetry.mock.calls).toEqual([[{ wait: expect.any(Number), reason: CHANGED }]]);
    expect(onRetry.mock.calls[0]?.[0].wait).toBeLessThanOrEqual(0.02);
  });

  it("a snapshot compares the revision of a 404 too", async () => {
    const without = edited((data) => void data.values.splice(0, 1)) as object;
    const { url } = await switchingServer([without, DATA], {
      pick: (before) => (before === 0 ? 0 : 1),
    });
    const read = async (snapshot: Snapshot) => {
      const port = await snapshot
        .getContentByName("PORT")
        .catch((error: NotFoundError) => error.code);
      return [port, (await snapshot.listValues()).metadata.total];
    };
    expect(await clientOf(url).readSnapshot(read)).toEqual([{ value: 3000 }, 6]);
  });

  it("a snapshot sends conditional requests, and compares the revisions of their answers too", async () => {
    const { url, targets } = await switchingServer([DATA, NEXT], {
      pick: (before) => (before < 3 ? 0 : 1),
    });
    const statuses: number[] = [];
    const client = clientOf(url, {
      revalidate: true,
      onResponse: ({ status }) => statuses.push(status),
    });
    const before = await client.readSnapshot(readVariableEntries);
    const after = await client.readSnapshot(readVariableEntries);
    expect(before.map(({ value }) => value?.content.value)).toContain(3000);
    expect(after.map(({ value }) => value?.content.value)).toContain(4000);
    // The definitions are unchanged, but of another revision, so they are requested again.
    expect(statuses).toEqual([200, 200, 304, 200, 304, 304]);
    expect(targets).toHaveLength(6);
  });

  it("a snapshot gives up after maxWait if the data keeps changing", {
    timeout: 5_000,
  }, async () => {
    const { url, targets } = await switchingServer([DATA, NEXT], { pick: (before) => before % 2 });
    const error = await clientOf(url, { maxWait: 0.5 })
      .readSnapshot(readPair)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ServerError);
    const [, attempts] =
      /^the data changed while it was being read \(attempts: (\d+)\); try again later$/.exec(
        (error as Error).message,
      ) as RegExpExecArray;
    expect(Number(attempts)).toBeGreaterThan(2);
    expect(targets.length).toBeLessThanOrEqual(2 * Number(attempts));
  });

  it("a snapshot tries once if maxWait is 0", async () => {
    const { url, targets } = await switchingServer([DATA, NEXT], { pick: (before) => before % 2 });
    const client = clientOf(url, { maxWait: 0 });
    await expect(client.readSnapshot(readPair)).rejects.toThrow(
      new InconsistentAnswersError(`${CHANGED} (attempts: 1); try again later`),
    );
    expect(targets.length).toBeLessThanOrEqual(2);
  });

  it("a snapshot starts over with retryOn rate-limit too", async () => {
    const { url } = await switchingServer([DATA, NEXT], {
      pick: (before) => (before === 0 ? 0 : 1),
    });
    const client = clientOf(url, { retryOn: "rate-limit" });
    expect(await client.readSnapshot(readPair)).toEqual(["postgres://next", 4000]);
  });

  it("a snapshot starts over if read ignores the error of the change", async () => {
    const { url } = await switchingServer([DATA, NEXT], {
      pick: (before) => (before === 0 ? 0 : 1),
    });
    const read = async (snapshot: Snapshot) => {
      const port = await snapshot.getContentByName("PORT");
      return [port.value, await snapshot.getContentByName("DATABASE_URL").catch(() => "none")];
    };
    expect(await clientOf(url).readSnapshot(read)).toEqual([4000, { value: "postgres://next" }]);
  });

  it("a snapshot compares the answers with a revision if others, of an older server, have none", async () => {
    const read = async (snapshot: Snapshot) => {
      for (const name of ["A", "B", "C"]) await snapshot.getContentByName(name);
      return snapshot.revision;
    };
    const { url } = await revisionPeer("1", undefined, "1");
    expect(await clientOf(url, { maxWait: 0 }).readSnapshot(read)).toBeUndefined();
    const other = await revisionPeer("1", undefined, "2");
    await expect(clientOf(other.url, { maxWait: 0 }).readSnapshot(read)).rejects.toThrow(CHANGED);
  });

  it("a snapshot aborts open requests and drops waiting ones when it starts over", async () => {
    const closed: Promise<unknown>[] = [];
    let attempts = 0;
    const paths: string[] = [];
    const { url } = await httpPeer((req, res) => {
      const path = req.url ?? "";
      paths.push(path);
      if (path.includes("/SLOW/") && attempts === 0) return void closed.push(once(res, "close"));
      if (path.includes("/LIMITED/") && attempts === 0)
        return void res.writeHead(429, { "retry-after": "1" }).end();
      if (path.includes("/LAST/")) attempts++;
      res.setHeader("Appvars-Revision", attempts > 0 ? "2" : "1").end('{"value":1}');
    });
    const read = async (snapshot: Snapshot) => {
      const first = snapshot.getContentByName("FIRST");
      const last = first.then(() => snapshot.getContentByName("LAST"));
      const others = ["SLOW", "LIMITED"].map((name) => snapshot.getContentByName(name));
      // Waits for the slow one even if the others fail.
      return (await Promise.allSettled([last, ...others])).map(({ status }) => status);
    };
    expect(await clientOf(url, { timeout: 60 }).readSnapshot(read)).toEqual(
      Array(3).fill("fulfilled"),
    );
    await Promise.all(closed);
    expect(closed).toHaveLength(1);
    expect(paths.filter((path) => path.includes("LIMITED"))).toHaveLength(2);
  });

  it("a snapshot can't be read after readSnapshot() has settled", async () => {
    const { url } = await switchingServer([DATA], { pick: () => 0 });
    const late = await clientOf(url).readSnapshot(async (snapshot) => ({ snapshot }));
    await expect(late.snapshot.getContentByName("PORT")).rejects.toThrow(
      "after readSnapshot has settled",
    );
  });

  /** Answers the requests with these revisions in turn, and then with the last one. */
  async function revisionPeer(...revisions: (string | undefined)[]) {
    const requests: IncomingMessage[] = [];
    const { url } = await httpPeer((req, res: ServerResponse) => {
      const revision = revisions[Math.min(requests.push(req), revisions.length) - 1];
      if (revision !== undefined)
        res.setHeader(
          "Appvars-Revision",
          typeof revision === "string" ? latin1(revision) : revision,
        );
      res.end('{"value":1}');
    });
    return { url, requests };
  }
});

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

describe("a snapshot from a server that sends no revision", () => {
  const ids = Array.from({ length: 1_500 }, (_, index) => index + 1);
  const many = {
    ...DATA,
    variables: ids.map(variableRecord),
    values: ids.map(valueRecord),
  };
  const without = (id: number) => ({
    ...many,
    variables: many.variables.filter((variable) => variable.id !== id),
    values: many.values.filter((value) => value.variable_id !== id),
  });
  const renamed = {
    ...many,
    variables: many.variables.map((each) => ({
      ...each,
      name: { 1: "V1500", 1500: "V1" }[each.id] ?? each.name,
    })),
  };
  const movedOn = {
    ...many,
    variables: [...without(1).variables, { ...variableRecord(1), id: 1_501 }],
    values: [...without(1).values, { ...valueRecord(1), id: 1_501, variable_id: 1_501 }],
  };

  function variableRecord(id: number) {
    return aRecord({ id, type: "NUMBER", name: `V${id}` });
  }

  function valueRecord(id: number) {
    return { id, variable_id: id, environment_id: 1, content: { value: id } };
  }

  it.each([
    ["a list that became shorter", without(1), 1],
    ["a list that became longer", many, 1],
    ["a value of a variable that is new", movedOn, 2],
    ["two variables that have swapped their names", renamed, 1],
    ["a list that is shorter than it was in another call", without(1_500), 3],
  ])("a snapshot without revisions starts over after %s", async (_what, next, after) => {
    const versions = [next === many ? without(1) : many, next];
    const { url } = await switchingServer(versions, {
      pick: (before) => (before < after ? 0 : 1),
      namesRevision: false,
    });
    const read = async (snapshot: Snapshot) => {
      const entries = await readVariableEntries(snapshot);
      const { total } = (await snapshot.listVariables({ limit: 1 })).metadata;
      return { entries, total };
    };
    const { entries, total } = await clientOf(url).readSnapshot(read);
    expect(total).toBe(entries.length);
    expect(entries.map(({ variable, value }) => [variable.name, value?.content.value])).toEqual(
      next.variables.map(({ id, name }) => [
        name,
        next.values.find((each) => each.variable_id === id)?.content.value,
      ]),
    );
  });

  it("a snapshot without revisions reports the inconsistency if it persists", async () => {
    const { url } = await pagesPeer({ total: (offset) => 3 - offset });
    await expect(clientOf(url, { maxWait: 0 }).readSnapshot(readVariableEntries)).rejects.toThrow(
      new InconsistentAnswersError(
        "the length of a list changed from 3 to 2 (attempts: 1); try again later",
      ),
    );
  });

  it.each([
    [
      "a list of another length",
      { total: (offset: number) => 3 - offset },
      "the length of a list changed from 3 to 2",
    ],
    ["an id again", { id: () => 1 }, "the server repeats ids in the pages of a list"],
    [
      "a value without its variable",
      { variableId: () => 9 },
      "the server lists a value without its variable",
    ],
  ])(
    "a snapshot reports %s with the same revision as a broken server",
    async (_what, change, message) => {
      const { url, requests } = await pagesPeer({ ...change, revision: "1" });
      await expect(clientOf(url).readSnapshot(readVariableEntries)).rejects.toThrow(
        new InconsistentAnswersError(message),
      );
      expect(requests.length).toBeLessThanOrEqual(4);
    },
  );

  interface Pages {
    total?: (offset: number) => number;
    id?: (offset: number) => number;
    variableId?: (offset: number) => number;
    revision?: string;
  }

  /** Lists of two pages with one item each. */
  async function pagesPeer({
    total = () => 2,
    id = (offset) => offset + 1,
    variableId = id,
    revision,
  }: Pages) {
    const requests: IncomingMessage[] = [];
    const { url } = await httpPeer((req, res) => {
      requests.push(req);
      const { pathname, searchParams } = new URL(req.url ?? "", "http://a");
      const offset = Number(searchParams.get("offset"));
      const item = pathname.endsWith("values")
        ? { id: id(offset), variable_id: variableId(offset), content: { value: 1 } }
        : aVariable({ id: id(offset), type: "NUMBER", name: `V${offset}` });
      if (revision) res.setHeader("Appvars-Revision", revision);
      res.end(
        JSON.stringify({ metadata: { limit: 1, offset, total: total(offset) }, data: [item] }),
      );
    });
    return { url, requests };
  }
});

describe("readAll() outside of a snapshot", () => {
  it("fails if the length of the list changes", async () => {
    const items = (total: number) =>
      Array.from({ length: total }, (_, index) => ({ id: index + 1 }));
    const totals = [1_500, 1_499];
    const list = async ({ limit = 50, offset = 0 }) => {
      const total = totals.shift() ?? 0;
      return {
        metadata: { limit, offset, total },
        data: items(total).slice(offset, offset + limit),
      };
    };
    await expect(readAll(list)).rejects.toThrow(ServerError);
  });
});

describe("starting over", () => {
  it("a snapshot that starts over waits for short pauses that grow up to 1 s", async () => {
    const pauses: number[] = [];
    let changes = 8;
    const answer = (attempt: SnapshotAttempt, revision: string) =>
      attempt.check({
        ...{ status: 200, headers: { "appvars-revision": revision } },
        ...{ body: "", milliseconds: 1 },
      });
    const read = async (snapshot: Snapshot) => {
      answer(snapshot as SnapshotAttempt, "1");
      if (changes-- > 0) answer(snapshot as SnapshotAttempt, "2");
      return "done";
    };
    const nothing = () => Promise.reject(new Error("nothing is sent here"));
    const options = {
      budget: createBudget(),
      ticks: () => 1_000 * pauses.reduce((sum, pause) => sum + pause, 0),
      random: () => 1 - 2 ** -53,
      sleep: async (seconds: number) => void pauses.push(seconds),
      onRetry: () => {},
    };
    expect(await readConsistent(read, nothing, options)).toBe("done");
    expect(pauses.map((seconds) => Number(seconds.toFixed(6)))).toEqual([
      0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1, 1,
    ]);
  });
});
