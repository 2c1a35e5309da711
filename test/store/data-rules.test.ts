import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../src/kit/text/errors.js";
import { checkData } from "../../src/store/schema/parse-data.js";
import { edited } from "../support/data.js";
import { changeRefusalOf, fileRefusalOf, MARKER, marked, refusalOf } from "./broken-data.js";
import { BROKEN_RULES } from "./broken-rules.js";

describe("the relations in the data", () => {
  it.each(BROKEN_RULES)(
    "%s is refused with the record and the rule, without a value",
    async (_fault, change, message) => {
      expect(message).not.toContain(MARKER);
      expect(refusalOf(change)).toStrictEqual(new InvalidDataError(message));
      expect((await fileRefusalOf(change)).message).toBe(message);
      expect(changeRefusalOf(change).message).toBe(message);
    },
  );

  it.each([
    ["STRING", 1],
    ["NUMBER", 0],
    ["BOOLEAN", 2],
    ["JSON", 3],
  ])("a client-side encrypted value fits a %s", (_type, index) => {
    const data = edited(({ values }) => {
      values[index].content.value = "envbee:enc:v1:AAAA";
    });
    expect(checkData(data).values[index]?.content.value).toBe("envbee:enc:v1:AAAA");
  });

  it.each(["text", 1.5, false, null, [], {}, { a: [{ b: null }] }])(
    "a JSON variable can hold %j",
    (value) => {
      const data = edited(({ values }) => {
        values[3].content.value = value;
      });
      expect(checkData(data).values[3]?.content.value).toStrictEqual(value);
    },
  );

  it("two applications may have a variable with the same name", () => {
    const { variables } = checkData(marked());
    expect(variables.filter(({ name }) => name === "DATABASE_URL")).toHaveLength(2);
  });

  it("names that differ only in case are different", () => {
    const data = edited(({ variables }) => {
      variables[2].name = "port";
    });
    expect(() => checkData(data)).not.toThrow();
  });

  it("two environments may have the same secret", () => {
    const data = edited(({ environments }) => {
      environments[1].api_secret = environments[0].api_secret;
    });
    expect(() => checkData(data)).not.toThrow();
  });
});
