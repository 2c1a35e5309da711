import { describe, expect, it } from "vitest";
import { NotFoundError, UsageError } from "../../../src/kit/text/errors.js";
import type { EnvironmentRecord } from "../../../src/model/environment.js";
import type { Data } from "../../../src/store/data.js";
import { renameVariable, setValues, unsetValues } from "../../../src/store/edits/edit-values.js";
import { checkData } from "../../../src/store/schema/parse-data.js";
import { DATA } from "../../support/data.js";

const [development, test, production, billing] = DATA.environments as [
  EnvironmentRecord,
  EnvironmentRecord,
  EnvironmentRecord,
  EnvironmentRecord,
];

/** The type and the value of `name` in an environment. */
function read(data: Data, { id, application }: EnvironmentRecord, name: string) {
  const variable = data.variables.find(
    (item) => item.name === name && item.application === application,
  );
  const value = data.values.find(
    (item) => item.variable_id === variable?.id && item.environment_id === id,
  );
  return { variable, value };
}

it("setValues keeps a field of a variable that a later version of appvars may add", () => {
  const [variable, ...others] = DATA.variables;
  const data = {
    ...DATA,
    variables: [{ ...variable, added: "later" }, ...others],
  } as unknown as typeof DATA;
  const changed = setValues(data, development, [
    { name: variable?.name ?? "", type: "NUMBER", value: 1 },
  ]);
  expect(changed.variables[0]).toEqual({ ...variable, added: "later" });
});

describe("setValues", () => {
  it("changes a value, and keeps its record, the definition and everything else", () => {
    const data = setValues(DATA, development, [{ name: "PORT", type: "NUMBER", value: 4000 }]);
    expect(read(data, development, "PORT").value).toEqual({
      id: 12,
      variable_id: 2,
      environment_id: 1,
      content: { value: 4000 },
    });
    expect(data.variables).toEqual(DATA.variables);
    expect(data.values.filter(({ id }) => id !== 12)).toEqual(
      DATA.values.filter(({ id }) => id !== 12),
    );
    expect(checkData(data)).toEqual(data);
  });

  it("creates a variable with unused ids in the environment's application", () => {
    const earlier = { ...DATA, last_ids: { environments: 4, variables: 20, values: 30 } };
    const data = setValues(earlier, billing, [
      { name: "PORT", type: "NUMBER", value: 1, description: "For billing" },
    ]);
    expect(read(data, billing, "PORT")).toEqual({
      variable: {
        id: 21,
        application: "billing",
        type: "NUMBER",
        name: "PORT",
        description: "For billing",
      },
      value: { id: 31, variable_id: 21, environment_id: 4, content: { value: 1 } },
    });
  });

  it("sets a value for a variable that other environments have", () => {
    const { variable, value } = read(
      setValues(DATA, test, [{ name: "PORT", type: "NUMBER", value: 1 }]),
      test,
      "PORT",
    );
    expect([variable?.id, value?.content.value]).toEqual([2, 1]);
  });

  it("keeps the last of two values for one name, in one record", () => {
    const twice = [1, 2].map((value) => ({ name: "NEW", type: "NUMBER" as const, value }));
    const data = setValues(DATA, development, twice);
    expect(data.variables.length - DATA.variables.length).toBe(1);
    expect(read(data, development, "NEW").value?.content.value).toBe(2);
  });

  it("keeps what a variable says about its values, and leaves out defaults", () => {
    const rules = { optional: true, secret: false, schema: { minimum: 1 } };
    const ruled = setValues(DATA, test, [
      { name: "PORT", type: "NUMBER", value: undefined, ...rules },
    ]);
    const changed = setValues(ruled, test, [{ name: "PORT", type: "NUMBER", value: 0 }]);
    expect(read(changed, test, "PORT").variable).toStrictEqual({ ...DATA.variables[0], ...rules });
    const defaults = { optional: false, secret: true, schema: undefined };
    const reset = setValues(changed, test, [
      { name: "PORT", type: "NUMBER", value: undefined, ...defaults },
    ]);
    expect(read(reset, test, "PORT").variable).toStrictEqual(DATA.variables[0]);
  });

  it("keeps a description unless there is a new one", () => {
    const assignment = { name: "PORT", type: "NUMBER" as const, value: 1 };
    expect(read(setValues(DATA, test, [assignment]), test, "PORT").variable?.description).toBe(
      "Where it listens",
    );
    const renewed = setValues(DATA, test, [{ ...assignment, description: "" }]);
    expect(read(renewed, test, "PORT").variable?.description).toBe("");
  });

  it("changes a type when all other values fit it", () => {
    const data = setValues(DATA, production, [{ name: "UNSET", type: "NUMBER", value: 1 }]);
    expect(read(data, production, "UNSET").variable?.type).toBe("NUMBER");
    expect(checkData(data)).toEqual(data);
  });

  it("rejects a type that a value in another environment does not fit", () => {
    const change = () =>
      setValues(DATA, development, [{ name: "DATABASE_URL", type: "NUMBER", value: 1 }]);
    expect(change).toThrow(
      new UsageError(
        "DATABASE_URL can't become a NUMBER: its value in another environment is not a NUMBER",
      ),
    );
  });

  it.each(["", "1A", "a b", "a/b", "é"])("rejects the name %j", (name) => {
    expect(() => setValues(DATA, test, [{ name, type: "STRING", value: "" }])).toThrow(UsageError);
  });

  it("rejects a value that is not of its type, without quoting it", () => {
    const change = () => setValues(DATA, test, [{ name: "NEW", type: "NUMBER", value: "hunter2" }]);
    expect(change).toThrow(new UsageError("the value for NEW is not a NUMBER"));
  });

  it("changes a type if the values that it does not fit are replaced too", () => {
    const text = [{ name: "DATABASE_URL", type: "NUMBER", value: 1 }] as const;
    const half = setValues(DATA, development, text, [development, test]);
    const data = setValues(half, test, text, [development, test]);
    expect(read(data, development, "DATABASE_URL")).toMatchObject({
      variable: { type: "NUMBER" },
      value: { content: { value: 1 } },
    });
    expect(checkData(data)).toEqual(data);
    expect(() => checkData(half)).toThrow("must be a NUMBER");
  });

  it("does not change its argument", () => {
    const before = structuredClone(DATA);
    setValues(DATA, development, [{ name: "PORT", type: "NUMBER", value: 1 }]);
    unsetValues(DATA, [development], ["PORT"]);
    expect(DATA).toEqual(before);
  });
});

describe("unsetValues", () => {
  it("removes the value, and keeps a definition with values in other environments", () => {
    const data = unsetValues(DATA, [development], ["DATABASE_URL"]);
    expect(read(data, development, "DATABASE_URL")).toMatchObject({
      variable: { id: 1 },
      value: undefined,
    });
    expect(read(data, test, "DATABASE_URL").value).toBeDefined();
    expect(read(data, billing, "DATABASE_URL").value).toBeDefined();
  });

  it("removes a definition with its last value", () => {
    expect(
      read(unsetValues(DATA, [development], ["FLAGS", "PORT"]), development, "FLAGS").variable,
    ).toBeUndefined();
  });

  it("removes values from several environments, of one application or more", () => {
    const data = unsetValues(DATA, [development, test, billing], ["DATABASE_URL", "PORT"]);
    expect(data.variables.map(({ id }) => id)).toEqual([3, 4, 5, 6, 7]);
    expect(data.values.map(({ id }) => id)).toEqual([13, 14, 15, 16, 17]);
    expect(checkData(data)).toEqual(data);
  });

  it("lists all names without a value, and removes nothing", () => {
    expect(() => unsetValues(DATA, [development], ["PORT", "UNSET", "NOPE"])).toThrow(
      new NotFoundError('"UNSET", "NOPE" have no value in shop/development'),
    );
  });
});

describe("renameVariable", () => {
  it("changes the name for all environments of the application, and nothing else", () => {
    const data = renameVariable(DATA, "shop", "DATABASE_URL", "DB_URL");
    expect(read(data, development, "DB_URL")).toEqual({
      variable: { ...read(DATA, development, "DATABASE_URL").variable, name: "DB_URL" },
      value: read(DATA, development, "DATABASE_URL").value,
    });
    expect(data.values).toEqual(DATA.values);
    expect(read(data, billing, "DATABASE_URL").value).toBeDefined();
    expect(checkData(data)).toEqual(data);
  });

  it.each([
    ["NOPE", "NEW", new NotFoundError('there is no variable "NOPE" in shop')],
    [
      "PORTS",
      "NEW",
      new NotFoundError('there is no variable "PORTS" (did you mean PORT?) in shop'),
    ],
    ["PORT", "DEBUG", new UsageError("shop already has a variable DEBUG")],
    ["PORT", "PORT", new UsageError("shop already has a variable PORT")],
  ])("refuses %s to %s", (name, newName, error) => {
    expect(() => renameVariable(DATA, "shop", name, newName)).toThrow(error);
  });

  it.each(["", "1A", "a b", "é"])("refuses the new name %j", (newName) => {
    expect(() => renameVariable(DATA, "shop", "PORT", newName)).toThrow(UsageError);
  });
});
