import { describe, expect, it } from "vitest";
import { type Data, lastId, NO_DATA, withLastIds } from "../../src/store/data.js";
import { isSameData } from "../../src/store/history.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import { DATA, edited } from "../support/data.js";

const LAST_IDS_RULE = { environments: 4, variables: 8, values: 19 };
const WITHOUT_HIGHEST: Data = { ...DATA, variables: DATA.variables.filter(({ id }) => id !== 8) };

describe("lastId", () => {
  it("is the highest id of the list, in any order", () => {
    expect(lastId(DATA, "environments")).toBe(4);
    expect(lastId(DATA, "variables")).toBe(8);
    expect(lastId(DATA, "values")).toBe(19);
  });

  it("is 0 without records", () => {
    expect(lastId(NO_DATA, "values")).toBe(0);
  });

  it("counts deleted ids, even the highest", () => {
    expect(lastId({ ...WITHOUT_HIGHEST, last_ids: LAST_IDS_RULE }, "variables")).toBe(8);
    expect(lastId({ ...NO_DATA, last_ids: LAST_IDS_RULE }, "values")).toBe(19);
  });

  it("counts the ids in use after the file was edited by hand", () => {
    expect(
      lastId({ ...DATA, last_ids: { environments: 1, variables: 1, values: 0 } }, "variables"),
    ).toBe(8);
  });
});

describe("withLastIds", () => {
  it("records nothing while all ids are there, so that a change is one line", () => {
    expect(withLastIds(NO_DATA, DATA)).toBe(DATA);
    const lower = { ...DATA, last_ids: { environments: 1, variables: 2, values: 3 } };
    expect(withLastIds(lower, lower)).toBe(lower);
  });

  it("changes nothing else", () => {
    const before = structuredClone([DATA, WITHOUT_HIGHEST]);
    expect(withLastIds(DATA, WITHOUT_HIGHEST)).toStrictEqual({
      ...WITHOUT_HIGHEST,
      last_ids: LAST_IDS_RULE,
    });
    expect([DATA, WITHOUT_HIGHEST]).toStrictEqual(before);
  });

  it("records ids that were deleted", () => {
    expect(withLastIds(DATA, NO_DATA).last_ids).toStrictEqual(LAST_IDS_RULE);
    expect(withLastIds(DATA, WITHOUT_HIGHEST).last_ids).toStrictEqual(LAST_IDS_RULE);
  });

  it("never lowers a recorded id", () => {
    const high = { environments: 40, variables: 80, values: 190 };
    expect(withLastIds({ ...DATA, last_ids: high }, DATA).last_ids).toStrictEqual(high);
    expect(withLastIds(DATA, { ...DATA, last_ids: high }).last_ids).toStrictEqual(high);
  });
});

describe("isSameData", () => {
  const previous = [
    { api_key: "old-key", api_secret: "old-secret", valid_until: "2026-01-31T12:00:00.000Z" },
  ];
  const full = (change: Parameters<typeof edited>[0] = () => {}) =>
    edited((data) => {
      Object.assign(data, { $schema: "s", last_ids: { ...LAST_IDS_RULE } });
      data.environments[0].previous = structuredClone(previous);
      change(data);
    }) as Data;
  const withValue = (value: unknown) =>
    full((data) => {
      data.values[0].content.value = value;
    });

  it("ignores the order of records and of their fields", () => {
    const reversed = full((data) => {
      data.values = data.values
        .reverse()
        .map((record: object) => Object.fromEntries(Object.entries(record).reverse()));
    });
    expect(isSameData(checkData(full()), checkData(reversed))).toBe(true);
  });

  it.each<[string, Parameters<typeof edited>[0]]>([
    ["$schema", (data) => delete data.$schema],
    ["last_ids", (data) => data.last_ids.values++],
    ["the number of records", (data) => data.variables.pop()],
    ["an id", (data) => data.variables[7].id++],
    ["a description", (data) => Object.assign(data.variables[0], { description: "" })],
    ["a secret", (data) => Object.assign(data.environments[0], { api_secret: "other-secret" })],
    [
      "a previous secret",
      (data) => Object.assign(data.environments[0].previous[0], { api_secret: "dev-secret" }),
    ],
  ])("finds a difference in %s", (_what, change) => {
    expect(isSameData(full(), full(change))).toBe(false);
    expect(isSameData(full(change), full())).toBe(false);
  });

  it("compares values as they are written", () => {
    expect(isSameData(withValue(1), withValue("1"))).toBe(false);
    expect(isSameData(withValue({ a: 1, b: 2 }), withValue({ b: 2, a: 1 }))).toBe(false);
    expect(isSameData(withValue(-0), withValue(0))).toBe(true);
  });
});
