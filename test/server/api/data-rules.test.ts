import { describe, expect, it } from "vitest";
import { InvalidDataError } from "../../../src/kit/text/errors.js";
import { serve } from "../../../src/library/local-server.js";
import { EMPTY_BODY_HASH } from "../../../src/signing/sign.js";
import { edited } from "../../support/data.js";
import { get } from "../../support/http.js";
import { runningServer } from "../../support/running-server.js";

/** A variable NAME of this type, with this value in development only. */
const withValue = (type: string, value: unknown) =>
  edited((copy) => {
    Object.assign(copy.variables[1], { name: "NAME", type });
    copy.values = [{ id: 11, variable_id: 1, environment_id: 1, content: { value } }];
  }) as object;

describe("a value is the JSON value of its variable's type", () => {
  it.each([
    ["STRING", "x"],
    ["STRING", ""],
    ["STRING", "3000"],
    ["NUMBER", 0],
    ["NUMBER", -1.5e-7],
    ["BOOLEAN", false],
    ["JSON", null],
    ["JSON", "text"],
    ["JSON", [{ a: [] }]],
    ["NUMBER", "envbee:enc:v1:AAAA"],
  ])("a %s is answered as the JSON value %j", async (type, value) => {
    const server = await runningServer({ data: withValue(type, value) });
    const { json } = await get(server, "/v1/variables-values-by-name/NAME");
    expect(json).toStrictEqual({ id: 11, variable_id: 1, content: { value } });
  });

  it.each([
    ["STRING", 1, /^values\[0\] \(id 11\): content.value must be a STRING/],
    ["STRING", null, /content.value must be a STRING/],
    ["NUMBER", "1", /content.value must be a NUMBER/],
    ["NUMBER", true, /content.value must be a NUMBER/],
    ["BOOLEAN", "true", /content.value must be a BOOLEAN/],
    ["BOOLEAN", 0, /content.value must be a BOOLEAN/],
    ["string", "x", /^variables\[1\] \(id 1\): type must be one of STRING, NUMBER, BOOLEAN, JSON$/],
    ["DATE", "x", /type must be one of/],
  ])("%s %j is not served", async (type, value, message) => {
    await expect(serve({ data: withValue(type, value), port: 0 })).rejects.toThrow(message);
  });
});

describe("names", () => {
  const withNames = (...names: string[]) =>
    edited((copy) => {
      for (const [index, name] of names.entries()) copy.variables[index].name = name;
    }) as object;

  it.each([
    ["1A"],
    ["-A"],
    [".A"],
    ["A B"],
    ["A/B"],
    ["Ä"],
    [""],
    ["A\n"],
    ["A".repeat(256)],
    [`PORT${EMPTY_BODY_HASH}`],
    ["SAME", "SAME"],
  ])("data with variables named %j and %j is invalid", async (...names) => {
    await expect(serve({ data: withNames(...names), port: 0 })).rejects.toThrow(InvalidDataError);
  });

  it("that differ in case are different names", async () => {
    const server = await runningServer({ data: withNames("SAME", "same") });
    const [upper, lower] = await Promise.all(
      ["SAME", "same"].map((name) => get(server, `/v1/variables-values-by-name/${name}/content`)),
    );
    expect([upper?.json, lower?.json]).toEqual([
      { value: 3000 },
      { value: "postgres://localhost/dev" },
    ]);
  });
});
