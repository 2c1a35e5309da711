import { describe, expect, it, vi } from "vitest";
import { AnswersChangedError, ServerError } from "../../src/kit/text/errors.js";
import type { JsonValue } from "../../src/kit/text/strict-json.js";
import type { Page, PageRequest } from "../../src/model/page.js";
import { byVariable, checkConsistency, joinValues, readAll } from "../../src/model/source.js";
import {
  ENVELOPE_PREFIX,
  type Variable,
  type VariableType,
  type VariableValue,
} from "../../src/model/variable.js";
import { aVariable } from "../support/records.js";

type Item = { id: number };

const itemsTo = (last: number): Item[] =>
  Array.from({ length: last }, (_, index) => ({ id: index + 1 }));

/** A list of which each read finds another length: the last of `totals` from then on. */
function changingList(...totals: [number, ...number[]]) {
  return vi.fn(async ({ limit = 50, offset = 0 }: PageRequest): Promise<Page<Item>> => {
    const total = totals.length > 1 ? (totals.shift() as number) : totals[0];
    const items = itemsTo(total);
    return { metadata: { limit, offset, total }, data: items.slice(offset, offset + limit) };
  });
}

describe("readAll", () => {
  it.each([
    [0, 1],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [2_500, 3],
  ])("readAll reads a list of %d items with %d requests", async (total, requests) => {
    const list = changingList(total);
    expect(await readAll(list)).toStrictEqual(itemsTo(total));
    expect(list).toHaveBeenCalledTimes(requests);
  });

  it("readAll requests pages of the maximum size, each from the end of the last", async () => {
    const list = changingList(1_500);
    await readAll(list);
    expect(list.mock.calls).toStrictEqual([
      [{ limit: 1_000, offset: 0 }],
      [{ limit: 1_000, offset: 1_000 }],
    ]);
  });

  it("readAll continues after a page that is shorter than requested", async () => {
    const items = itemsTo(3);
    const list = async ({ offset = 0 }: PageRequest) => ({
      metadata: { limit: 1, offset, total: 3 },
      data: items.slice(offset, offset + 1),
    });
    expect(await readAll(list)).toStrictEqual(items);
  });

  it.each([
    ["shrinks", 2_500, 700],
    ["grows", 1_001, 1_200],
  ])("readAll fails when the list %s while it is read", async (_how, before, after) => {
    const list = changingList(before, after);
    const error = new AnswersChangedError(
      `the length of a list changed from ${before} to ${after}`,
    );
    await expect(readAll(list)).rejects.toThrow(error);
    expect(list).toHaveBeenCalledTimes(2);
  });

  it("readAll fails when a list ends before the total that it claims", async () => {
    const list = vi.fn(async () => ({ metadata: { limit: 1_000, offset: 0, total: 9 }, data: [] }));
    await expect(readAll(list)).rejects.toThrow(
      new AnswersChangedError("the server leaves out the end of a list"),
    );
    expect(list).toHaveBeenCalledTimes(1);
  });

  it("readAll accepts a page of any length", async () => {
    const data = itemsTo(500_000);
    const list = async () => ({ metadata: { limit: 1_000, offset: 0, total: data.length }, data });
    expect(await readAll(list)).toHaveLength(500_000);
  });

  it.each([
    ["go back", 1],
    ["repeat", 2],
  ])("readAll fails when the ids of the next page %s", async (_what, id) => {
    const list = async ({ offset = 0 }: PageRequest) => ({
      metadata: { limit: 1, offset, total: 2 },
      data: [{ id: offset === 0 ? 2 : id }],
    });
    await expect(readAll(list)).rejects.toThrow(
      new AnswersChangedError("the server repeats ids in the pages of a list"),
    );
  });

  it("readAll fails when one page fails", async () => {
    const list = changingList(1_500).mockRejectedValueOnce(new Error("gone"));
    await expect(readAll(list)).rejects.toThrow("gone");
  });
});

const variable = (id: number, type: VariableType): Variable =>
  aVariable({ id, type, name: `V${id}` });
const value = (variable_id: number, content: JsonValue): VariableValue => {
  return { id: variable_id + 10, variable_id, content: { value: content } };
};

describe("checkConsistency", () => {
  const [one, two] = [variable(1, "STRING"), variable(2, "STRING")];

  it("checkConsistency accepts lists of one version, including variables without a value", () => {
    expect(() => checkConsistency([one, two], [value(2, "x")])).not.toThrow();
  });

  it.each([
    ["a value without its variable", [one], [value(2, "x")]],
    ["two variables with the same name", [one, { ...two, name: "V1" }], []],
    ["two values of the same variable", [one], [value(1, "x"), { ...value(1, "y"), id: 12 }]],
  ])("checkConsistency rejects %s", (fault, variables, values) => {
    expect(() => checkConsistency(variables, values)).toThrow(
      new AnswersChangedError(`the server lists ${fault}`),
    );
  });
});

describe("joinValues", () => {
  it("joinValues puts variables and values together, as far as they have been read", () => {
    const [one, two] = [variable(1, "STRING"), variable(2, "NUMBER")];
    expect(joinValues([one, two], byVariable([value(1, "x"), value(3, "y")]))).toStrictEqual([
      { variable: one, value: value(1, "x") },
      { variable: two, value: undefined },
    ]);
  });

  it.each([
    ["NUMBER", "t0p-s3cr3t"],
    ["STRING", 1],
    ["BOOLEAN", null],
  ] as const)(
    "joinValues rejects for a %s the value %j, which it does not quote",
    (type, content) => {
      const error = new ServerError(`the server sends a value for V1 that is not a ${type}`, 200);
      expect(() => joinValues([variable(1, type)], byVariable([value(1, content)]))).toThrow(error);
    },
  );

  it("joinValues accepts an encrypted value for any type", () => {
    const sealed = value(1, `${ENVELOPE_PREFIX}AAAA`);
    expect(joinValues([variable(1, "NUMBER")], byVariable([sealed]))[0]?.value).toBe(sealed);
  });
});
