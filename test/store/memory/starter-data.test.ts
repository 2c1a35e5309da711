import { describe, expect, it } from "vitest";
import { starterData } from "../../../src/store/memory/starter-data.js";
import { checkData } from "../../../src/store/schema/parse-data.js";

describe("the data to start with", () => {
  it("the starter data is valid and needs no defaults", () => {
    const data = starterData({ examples: true });
    expect(checkData(data)).toStrictEqual(data);
    expect(checkData(JSON.parse(JSON.stringify(data)))).toStrictEqual(data);
  });

  it("the starter data has three environments, and as examples a variable of each type with a value in each", () => {
    const { environments, variables, values } = starterData({ examples: true });
    expect(starterData()).toMatchObject({ variables: [], values: [] });
    expect(environments.map(({ name }) => name)).toStrictEqual([
      "development",
      "test",
      "production",
    ]);
    expect(variables.map(({ type }) => type).sort()).toStrictEqual([
      "BOOLEAN",
      "JSON",
      "NUMBER",
      "STRING",
    ]);
    expect(values).toHaveLength(environments.length * variables.length);
  });

  it("the starter data has different credentials every time", () => {
    const all = Array.from({ length: 20 }, () => starterData()).flatMap(
      ({ environments }) => environments,
    );
    const credentials = all.flatMap(({ api_key, api_secret }) => [api_key, api_secret]);
    expect(new Set(credentials).size).toBe(20 * 3 * 2);
  });

  it("the starter data has keys of 128 bits and secrets of 256 bits, in hex", () => {
    for (const { api_key, api_secret } of starterData().environments) {
      expect(api_key).toMatch(/^[0-9a-f]{32}$/);
      expect(api_secret).toMatch(/^[0-9a-f]{64}$/);
    }
  });
});
