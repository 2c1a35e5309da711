import { describe, expect, it } from "vitest";
import { type Data, NO_DATA } from "../../src/store/data.js";
import { nextId, withLastIds } from "../../src/store/ids.js";
import { DATA } from "../support/data.js";

const LAST_IDS = { environments: 4, variables: 8, values: 19 };
const WITHOUT_HIGHEST: Data = { ...DATA, variables: DATA.variables.filter(({ id }) => id !== 8) };

describe("nextId", () => {
  it("is one more than the highest of its list, wherever in the list that is", () => {
    expect(nextId(DATA, "environments")).toBe(5);
    expect(nextId(DATA, "variables")).toBe(9);
    expect(nextId(DATA, "values")).toBe(20);
  });

  it("begins at 1", () => {
    expect(nextId(NO_DATA, "values")).toBe(1);
  });

  it("is no id that was deleted, be it the highest of all", () => {
    expect(nextId({ ...WITHOUT_HIGHEST, last_ids: LAST_IDS }, "variables")).toBe(9);
    expect(nextId({ ...NO_DATA, last_ids: LAST_IDS }, "values")).toBe(20);
  });

  it("is no id in use where the file was edited by hand past its record of ids", () => {
    expect(nextId({ ...DATA, last_ids: { environments: 1, variables: 1, values: 0 } }, "variables")).toBe(9);
  });
});

describe("withLastIds", () => {
  it("records the highest ids, and leaves the rest and what it was given alone", () => {
    const before = structuredClone(DATA);
    expect(withLastIds(NO_DATA, DATA)).toStrictEqual({ ...DATA, last_ids: LAST_IDS });
    expect(DATA).toStrictEqual(before);
  });

  it("records ids that were there before and are deleted", () => {
    expect(withLastIds(DATA, NO_DATA).last_ids).toStrictEqual(LAST_IDS);
    expect(withLastIds(DATA, WITHOUT_HIGHEST).last_ids).toStrictEqual(LAST_IDS);
  });

  it("never lowers a record, whichever of the two has it", () => {
    const high = { environments: 40, variables: 80, values: 190 };
    expect(withLastIds({ ...DATA, last_ids: high }, DATA).last_ids).toStrictEqual(high);
    expect(withLastIds(DATA, { ...DATA, last_ids: high }).last_ids).toStrictEqual(high);
  });
});
