import { describe, expect, it } from "vitest";
import { serializeData } from "../../../src/store/bytes/data-text.js";
import { type Data, NO_DATA } from "../../../src/store/data.js";
import { parseData } from "../../../src/store/schema/parse-data.js";
import { DATA, edited, sortedById } from "../../support/data.js";

const LAST_IDS_RULE = { environments: 4, variables: 9, values: 0 };
const AWKWARD = 'a\n"b"\\\u2028\u0000\u007f é 👋 \ud800 </script> $x `y`';

const textOf = (data: Data) => Buffer.concat([...serializeData(data)]).toString();

describe("serializeData()", () => {
  it.each<[string, Data]>([
    ["all types", DATA],
    ["nothing", NO_DATA],
    [
      "a schema and the last ids",
      { $schema: "../appvars.schema.json", ...DATA, last_ids: LAST_IDS_RULE },
    ],
    [
      "awkward text",
      edited(
        (data) => (data.values[1].content.value = data.variables[0].description = AWKWARD),
      ) as Data,
    ],
    [
      "a number at the edge",
      edited((data) => (data.values[0].content.value = 1.7976931348623157e308)) as Data,
    ],
  ])("writes bytes that parse to the same data: %s", async (_what, data) => {
    expect(await parseData(Buffer.concat([...serializeData(data)]))).toStrictEqual(
      sortedById(data),
    );
  });

  it("writes each record on its own line, by ascending id", () => {
    const data = edited(({ values }) => (values[1].content.value = AWKWARD)) as Data;
    const { environments, variables, values } = sortedById(data);
    const records = [...environments, ...variables, ...values].map((record) =>
      JSON.stringify(record),
    );
    const lines = textOf(data)
      .split("\n")
      .map((line) => line.trim().replace(/,$/, ""));
    expect(lines.filter((line) => line.startsWith('{"'))).toStrictEqual(records);
  });

  it("writes short fields first, and ends with a newline", () => {
    const [environment] = DATA.environments;
    const data = { ...NO_DATA, environments: environment ? [environment] : [] };
    expect(textOf({ ...data, last_ids: LAST_IDS_RULE, $schema: "s.json" })).toBe(`{
  "$schema": "s.json",
  "version": 1,
  "last_ids": {"environments":4,"variables":9,"values":0},
  "environments": [
    ${JSON.stringify(environment)}
  ],
  "variables": [
  ],
  "values": [
  ]
}
`);
  });
});
