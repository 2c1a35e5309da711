import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../src/kit/text/errors.js";
import { createMemoryStore } from "../../src/store/memory/memory-store.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import { DATA, edited } from "../support/data.js";
import {
  BROKEN_SHAPES,
  BROKEN_TWICE,
  changeRefusalOf,
  fileRefusalOf,
  MARKER,
  refusalOf,
} from "./broken-data.js";

describe("the shape of the data", () => {
  it.each(BROKEN_SHAPES)(
    "%s is refused with the record and the rule, without a value",
    async (_fault, change, message) => {
      expect(message).not.toContain(MARKER);
      expect(refusalOf(change)).toStrictEqual(new InvalidDataError(message));
      expect((await fileRefusalOf(change)).message).toBe(message);
      expect(changeRefusalOf(change).message).toBe(message);
    },
  );

  it.each(BROKEN_TWICE)(
    "checkData reports the first of two broken rules: %s",
    async (_what, change, message) => {
      expect(refusalOf(change).message).toBe(message);
      expect((await fileRefusalOf(change)).message).toBe(message);
      expect(changeRefusalOf(change).message).toBe(message);
    },
  );

  it("checkData returns valid data unchanged", () => {
    expect(checkData(DATA)).toStrictEqual(DATA);
  });

  it("checkData does not change its argument", () => {
    const given = edited(({ variables }) => delete variables[0].description);
    const before = structuredClone(given);
    checkData(given);
    expect(given).toStrictEqual(before);
  });

  it("checkData copies nothing if all fields are there, in order", () => {
    expect(checkData(DATA)).toBe(DATA);
  });

  it("checkData puts fields in order, and drops undefined ones", () => {
    const given = edited((data) => {
      const { id, ...others } = data.values[1];
      data.values[1] = { ...others, id };
      data.environments[0].previous = undefined;
    });
    const data = checkData(given);
    expect(data).toStrictEqual(DATA);
    expect(Object.keys(data.values[1] ?? {})).toStrictEqual(Object.keys(DATA.values[1] ?? {}));
  });

  it("data in memory is apart from the objects that it was given as", () => {
    const given = structuredClone(DATA);
    const { data } = createMemoryStore(given);
    for (const list of [given.environments, given.variables, given.values])
      for (const item of list) Object.assign(item, { id: 0 });
    expect(data).toStrictEqual(DATA);
  });

  it("checkData accepts empty lists", () => {
    const empty = { version: 1, environments: [], variables: [], values: [] };
    expect(checkData(empty)).toStrictEqual(empty);
  });

  it("checkData keeps $schema", () => {
    const data = { $schema: "./data.schema.json", ...DATA };
    expect(checkData(data)).toStrictEqual(data);
  });

  it("checkData accepts last ids, which may be 0", () => {
    const data = { ...DATA, last_ids: { environments: 0, variables: 8, values: 2 ** 53 - 1 } };
    expect(checkData(data)).toStrictEqual(data);
  });

  it.each([{ environments: -1 }, { values: 1.5 }, { variables: "8" }, { more: 1 }])(
    "checkData rejects last ids like %o",
    (wrong) => {
      const lastIds = { environments: 4, variables: 8, values: 19, ...wrong };
      expect(() => checkData({ ...DATA, last_ids: lastIds })).toThrow("last_ids");
    },
  );

  it.each([
    "tomorrow",
    "2026-01-31",
    "2026-01-31T12:00Z",
    "2027-02-31T12:00:00Z",
    "2026-13-31T12:00:00Z",
    "2026-01-31T12:00:00+01:00",
    0,
  ])("checkData rejects %j for the end of a key's life", (valid_until) => {
    const previous = [{ api_key: "old", api_secret: "old", valid_until }];
    const environments = [{ ...DATA.environments[0], previous }];
    expect(() => checkData({ ...DATA, environments })).toThrow(
      /^environments\[0\] \(id 1\): previous\[0\]\.valid_until must be/,
    );
  });

  it("checkData fills in the application default and an empty description", () => {
    const data = checkData({
      version: 1,
      environments: [{ id: 1, name: "test", api_key: "key", api_secret: "secret" }],
      variables: [{ id: 1, type: "STRING", name: "A" }],
      values: [{ id: 1, variable_id: 1, environment_id: 1, content: { value: "" } }],
    });
    expect(data.environments[0]?.application).toBe("default");
    expect(data.variables[0]).toStrictEqual({
      id: 1,
      application: "default",
      type: "STRING",
      name: "A",
      description: "",
    });
  });

  it.each(["A", "_", "a.b-c_1", "__proto__", "constructor", "toString", "x".repeat(255)])(
    "checkData accepts the variable name %s",
    (name) => {
      const data = edited(({ variables }) => {
        variables[4].name = name;
      });
      expect(checkData(data).variables[4]?.name).toBe(name);
    },
  );

  it.each(["x", "!#$%&'()*+-./:;<=>?@[]^_`{|}~\"\\", "s".repeat(512)])(
    "checkData accepts the credential %s",
    (credential) => {
      const data = edited(({ environments }) => {
        environments[0].api_key = credential;
        environments[0].api_secret = credential;
      });
      expect(checkData(data).environments[0]).toMatchObject({
        api_key: credential,
        api_secret: credential,
      });
    },
  );

  it.each(["staging 2", "préproduction", "__proto__", "x".repeat(255)])(
    "checkData accepts the environment name %s",
    (name) => {
      const data = edited(({ environments }) => {
        environments[0].name = name;
      });
      expect(checkData(data).environments[0]?.name).toBe(name);
    },
  );

  it("checkData accepts the largest safe integer as an id", () => {
    const data = edited(({ values }) => {
      values[0].id = Number.MAX_SAFE_INTEGER;
    });
    expect(checkData(data).values[0]?.id).toBe(2 ** 53 - 1);
  });
});
