import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { checkData } from "../../src/store/parse-data.js";
import { edited } from "../support/data.js";
import { fileRefusalOf, MARKER, marked, refusalOf } from "./broken-data.js";
import { BROKEN_RULES } from "./broken-rules.js";

describe("the rules of the data", () => {
  it.each(BROKEN_RULES)("refuse %s, naming the record and the rule", (_what, change, message) => {
    const refusal = refusalOf(change);
    expect(refusal).toBeInstanceOf(InvalidDataError);
    expect(refusal.message).toBe(message);
  });

  it.each(BROKEN_RULES)("refuse %s in a file, in the same words", async (_what, change, message) => {
    expect((await fileRefusalOf(change)).message).toBe(message);
  });

  it.each(BROKEN_RULES)("tell no secret and no value when they refuse %s", (_what, change) => {
    expect(refusalOf(change).message).not.toContain(MARKER);
  });

  it.each([
    ["STRING", 1],
    ["NUMBER", 0],
    ["BOOLEAN", 2],
    ["JSON", 3],
  ])("take a client-side encrypted value for a %s", (_type, index) => {
    const data = edited(({ values }) => {
      values[index].content.value = "envbee:enc:v1:AAAA";
    });
    expect(checkData(data).values[index]?.content.value).toBe("envbee:enc:v1:AAAA");
  });

  it.each(["text", 1.5, false, null, [], {}, { a: [{ b: null }] }])("take %j for a JSON", (value) => {
    const data = edited(({ values }) => {
      values[3].content.value = value;
    });
    expect(checkData(data).values[3]?.content.value).toStrictEqual(value);
  });

  it("allow one variable name in two applications", () => {
    const { variables } = checkData(marked());
    expect(variables.filter(({ name }) => name === "DATABASE_URL")).toHaveLength(2);
  });

  it("allow names that differ in case only", () => {
    const data = edited(({ variables }) => {
      variables[2].name = "port";
    });
    expect(() => checkData(data)).not.toThrow();
  });

  it("allow one secret in two environments, which their keys tell apart", () => {
    const data = edited(({ environments }) => {
      environments[1].api_secret = environments[0].api_secret;
    });
    expect(() => checkData(data)).not.toThrow();
  });
});
