import { describe, expect, it } from "vitest";
import { ServerError } from "../../../src/kit/text/errors.js";
import type { JsonValue } from "../../../src/kit/text/strict-json.js";
import { InconsistentAnswersError } from "../../../src/model/errors.js";
import {
  byVariableId,
  checkConsistency,
  joinValues,
} from "../../../src/model/reads/variable-entries.js";
import {
  ENVELOPE_PREFIX,
  type Variable,
  type VariableType,
  type VariableValue,
} from "../../../src/model/variable.js";
import { aVariable } from "../../support/records.js";

const variable = (id: number, type: VariableType): Variable =>
  aVariable({ id, type, name: `V${id}` });
const value = (variable_id: number, content: JsonValue): VariableValue => {
  return { id: variable_id + 10, variable_id, content: { value: content } };
};

describe("checkConsistency", () => {
  const [one, two] = [variable(1, "STRING"), variable(2, "STRING")];

  it("accepts lists of one version, including variables without a value", () => {
    expect(() => checkConsistency([one, two], [value(2, "x")])).not.toThrow();
  });

  it.each([
    ["a value without its variable", [one], [value(2, "x")]],
    ["two variables with the same name", [one, { ...two, name: "V1" }], []],
    ["two values of the same variable", [one], [value(1, "x"), { ...value(1, "y"), id: 12 }]],
  ])("rejects %s", (fault, variables, values) => {
    expect(() => checkConsistency(variables, values)).toThrow(
      new InconsistentAnswersError(`the server lists ${fault}`),
    );
  });
});

describe("joinValues", () => {
  it("puts variables and values together, as far as they have been read", () => {
    const [one, two] = [variable(1, "STRING"), variable(2, "NUMBER")];
    expect(joinValues([one, two], byVariableId([value(1, "x"), value(3, "y")]))).toStrictEqual([
      { variable: one, value: value(1, "x") },
      { variable: two, value: undefined },
    ]);
  });

  it.each([
    ["NUMBER", "t0p-s3cr3t"],
    ["STRING", 1],
    ["BOOLEAN", null],
  ] as const)("rejects for a %s the value %j, which it does not quote", (type, content) => {
    const error = new ServerError(`the server sends a value for V1 that is not a ${type}`, 200);
    expect(() => joinValues([variable(1, type)], byVariableId([value(1, content)]))).toThrow(error);
  });

  it("accepts an encrypted value for any type", () => {
    const sealed = value(1, `${ENVELOPE_PREFIX}AAAA`);
    expect(joinValues([variable(1, "NUMBER")], byVariableId([sealed]))[0]?.value).toBe(sealed);
  });
});
