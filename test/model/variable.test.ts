import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/kit/text/errors.js";
import {
  checkId,
  isUnreadable,
  isVariableName,
  isVariableType,
  valueFitsType,
} from "../../src/model/variable.js";

const ENCRYPTED = "envbee:enc:v1:AAAA";

describe("a variable's name", () => {
  it.each([
    "A",
    "_",
    "a1",
    "DATABASE_URL",
    "app.db-url",
    "__proto__",
    "constructor",
    "toString",
    "x".repeat(255),
    "PORT99914b932bd37a50b983c5e7c90ae93b_",
    "PORT99914B932BD37A50B983C5E7C90AE93B",
  ])("may be %s", (name) => {
    expect(isVariableName(name)).toBe(true);
  });

  it.each([
    "",
    "1A",
    "-A",
    ".A",
    "..",
    "A B",
    " A",
    "A/B",
    "A%41",
    "é",
    "Aé",
    "A\n",
    "\nA",
    "A$",
    "A=",
    "x".repeat(256),
    "PORT99914b932bd37a50b983c5e7c90ae93b",
    "_99914b932bd37a50b983c5e7c90ae93b",
  ])("can't be %j", (name) => {
    expect(isVariableName(name)).toBe(false);
  });
});

describe("a value", () => {
  it.each([
    ["STRING", ["", "text", "3", ENCRYPTED], [3, true, null, {}, [], undefined]],
    [
      "NUMBER",
      [0, -1.5, 1e300, ENCRYPTED],
      ["3", "", true, null, {}, [], Number.NaN, Number.POSITIVE_INFINITY, undefined],
    ],
    ["BOOLEAN", [true, false, ENCRYPTED], ["true", "", 0, 1, null, {}, [], undefined]],
    ["JSON", ["", "text", 0, false, null, {}, [], { a: [null] }, ENCRYPTED], [undefined]],
  ] as const)("of the type %s is any of %j, none of %j", (type, good, bad) => {
    expect(good.filter((value) => !valueFitsType(value, type))).toStrictEqual([]);
    expect(bad.filter((value) => valueFitsType(value, type))).toStrictEqual([]);
  });

  it.each([
    [ENCRYPTED, true],
    ["envbee:enc:v1:", true],
    ["envbee:enc:v2:AAAA", false],
    [` ${ENCRYPTED}`, false],
    ["", false],
    [null, false],
    [{ value: ENCRYPTED }, false],
  ])("%j is encrypted: %s", (value, encrypted) => {
    expect(isUnreadable(value)).toBe(encrypted);
  });
});

describe("a variable's type", () => {
  it.each(["STRING", "NUMBER", "BOOLEAN", "JSON"])("may be %s", (type) => {
    expect(isVariableType(type)).toBe(true);
  });

  it.each(["string", "", "TEXT", "toString", undefined, null, 1, ["STRING"]])(
    "can't be %j",
    (type) => {
      expect(isVariableType(type)).toBe(false);
    },
  );
});

describe("checkId", () => {
  it.each([1, 42, Number.MAX_SAFE_INTEGER])("accepts %d", (id) => {
    expect(checkId(id)).toBe(id);
  });

  it.each([0, -0, -1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])(
    "throws for %d",
    (id) => {
      expect(() => checkId(id)).toThrow(new UsageError("id must be a positive whole number"));
    },
  );
});
