import { describe, expect, it } from "vitest";
import { applyChanges } from "../../src/etcd/apply-changes.js";
import { InvalidDataError } from "../../src/kit/text/errors.js";
import { type Data, withLastIds } from "../../src/store/data.js";
import { changesBetween, type RecordChange } from "../../src/store/history.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import { MARKER } from "../store/broken-data.js";
import { DATA, sortedById } from "../support/data.js";
import { increment, set, unset } from "../support/edits.js";
import { Random } from "../support/random.js";

const START = sortedById(checkData(DATA));

/** The data after a change, and the changes as they are read from a store. */
function changed(data: Data, change: (data: Data) => Data) {
  const result = change(data);
  const next = checkData(withLastIds(data, result));
  const changes: RecordChange[] = JSON.parse(JSON.stringify(changesBetween(data, next)));
  return { next, changes };
}

const aPort = (id: number, value: unknown) => ({
  id,
  variable_id: 2,
  environment_id: 1,
  content: { value },
});

describe("the changes between two versions", () => {
  it("changes are named record by record, before and after", () => {
    const { changes } = changed(START, (data) => set(unset(data, "EMPTY"), { PORT: 1, NEW: "x" }));
    expect(changes).toEqual([
      { list: "variables", before: null, after: expect.objectContaining({ id: 9, name: "NEW" }) },
      { list: "variables", before: expect.objectContaining({ id: 6 }), after: null },
      { list: "values", before: aPort(12, 3000), after: aPort(12, 1) },
      { list: "values", before: null, after: expect.objectContaining({ content: { value: "x" } }) },
      { list: "values", before: expect.objectContaining({ id: 16 }), after: null },
    ]);
  });

  it("a record that is written again as it was is no change", () => {
    expect(changed(START, (data) => set(data, { PORT: 3000 })).changes).toEqual([]);
    expect(changed(START, structuredClone).changes).toEqual([]);
  });

  it("a version and the changes after it make the next one, however often", async () => {
    const random = new Random(1);
    let [data, replica] = [START, START];
    for (let edits = 0; edits < 200; edits++) {
      const name = `V${random.below(20)}`;
      const isThere = data.variables.some((variable) => variable.name === name);
      const hasValue = isThere && random.below(3) === 0;
      const change = (before: Data) => {
        const one = increment(before);
        try {
          return hasValue ? unset(one, name) : set(one, { [name]: "x".repeat(random.below(5)) });
        } catch {
          // It has no value already.
          return one;
        }
      };
      const { next, changes } = changed(data, change);
      replica = {
        ...(await applyChanges(replica, changes)),
        ...(next.last_ids && { last_ids: next.last_ids }),
      };
      data = sortedById(next);
    }
    expect(replica).toEqual(data);
    // Lists without a change stay the same objects.
    const { changes } = changed(data, increment);
    const after = await applyChanges(data, changes);
    expect([after.environments, after.variables]).toEqual([data.environments, data.variables]);
    expect(after.variables).toBe(data.variables);
  });

  it("a record can be removed and made again by changes that are applied together", async () => {
    const [before, after] = [aPort(12, 3000), aPort(12, 4000)];
    const changes: RecordChange[] = [
      { list: "values", before, after: null },
      { list: "values", before: null, after },
    ];
    const data = await applyChanges(START, changes);
    expect(data.values.filter(({ id }) => id === 12)).toEqual([after]);
    expect(data.values.map(({ id }) => id)).toEqual(START.values.map(({ id }) => id));
    expect((await applyChanges(START, changes.slice(0, 1))).values).toHaveLength(
      START.values.length - 1,
    );
  });

  it("a record that was removed earlier is made again in its place", async () => {
    const one: RecordChange = { list: "values", before: aPort(12, 3000), after: null };
    const without = await applyChanges(START, [one]);
    expect(
      await applyChanges(without, [{ list: "values", before: null, after: aPort(12, 3000) }]),
    ).toEqual(START);
  });

  it("the records of every list are sorted, however they were stored", () => {
    const reversed = {
      environments: START.environments.toReversed(),
      variables: START.variables.toReversed(),
      values: START.values.toReversed(),
    };
    expect(sortedById({ ...START, ...reversed })).toEqual(START);
  });

  it("the data that changes are applied to stays as it is", async () => {
    const copy = structuredClone(START);
    await applyChanges(START, [
      { list: "values", before: aPort(12, 3000), after: null },
      {
        list: "environments",
        before: null,
        after: { ...START.environments[0], id: 99 } as { id: number },
      },
    ]);
    expect(START).toEqual(copy);
  });

  it.each<[string, unknown, unknown, string]>([
    [
      "a record that has changed since",
      aPort(12, 1),
      aPort(12, 2),
      "changes values 12, which is not as it was before",
    ],
    [
      "a record that is there already",
      null,
      aPort(12, 2),
      "changes values 12, which is not as it was before",
    ],
    [
      "a record that is missing",
      aPort(99, 1),
      null,
      "changes values 99, which is not as it was before",
    ],
    [
      "another record",
      aPort(12, 3000),
      aPort(13, 1),
      "changes values 13, which is not as it was before",
    ],
    [
      "a record that breaks a rule",
      null,
      { ...aPort(99, 1), content: MARKER },
      "values.content must be an object",
    ],
    [
      "an unknown field",
      null,
      { ...aPort(99, 1), more: MARKER },
      "values.more is not a known field",
    ],
  ])("a change of %s is refused, without its value", async (_what, before, after, message) => {
    const change = { list: "values", before, after } as RecordChange;
    await expect(applyChanges(START, [change])).rejects.toThrow(new InvalidDataError(message));
  });
});
