import { describe, expect, it } from "vitest";
import { NotFoundError, UsageError } from "../../src/domain/errors.js";
import { readAll, type VariableSource } from "../../src/domain/source.js";
import { edited } from "../support/data.js";
import { ABSENT_NAMES, VALUES, VARIABLES } from "./development.js";

/** Every method that looks one thing up by its id. */
const BY_ID = ["getVariable", "getValue"] as const;
const BY_NAME = ["getValueByName", "getContentByName"] as const;
const LISTS = ["listVariables", "listValues"] as const;

const LIMIT_RULE = "limit must be a whole number of 1 or more (over 1000 counts as 1000)";
const OFFSET_RULE = "offset must be a whole number of 0 or more";

/**
 * What every implementation of VariableSource does.
 *
 * @param open a source for `shop/development` of this data, of test/support/data.ts where there is none given;
 *   it is closed when the current test ends
 */
export function describeVariableSource(name: string, open: (data?: unknown) => Promise<VariableSource>): void {
  describe(`${name}, as a source of variables`, () => {
    it("lists the application's variables by ascending id, with the fields of the contract only", async () => {
      const source = await open();
      expect(await source.listVariables()).toStrictEqual({
        metadata: { limit: 50, offset: 0, total: 7 },
        data: VARIABLES,
      });
    });

    it("lists the values that this environment has by ascending id, each of its own JSON type", async () => {
      const source = await open();
      expect(await source.listValues()).toStrictEqual({ metadata: { limit: 50, offset: 0, total: 6 }, data: VALUES });
    });

    it.each(LISTS)("cuts the asked page out of %s", async (list) => {
      const source = await open();
      const { metadata, data } = await source[list]({ limit: 2, offset: 3 });
      const { total } = (await source[list]()).metadata;
      expect(metadata).toStrictEqual({ limit: 2, offset: 3, total });
      expect(data).toStrictEqual((await source[list]()).data.slice(3, 5));
    });

    it.each(LISTS)("answers %s with an empty page past the end", async (list) => {
      const page = await (await open())[list]({ offset: 7 });
      expect(page).toMatchObject({ metadata: { limit: 50, offset: 7 }, data: [] });
    });

    it.each(LISTS)("takes an offset of %s as large as a safe integer", async (list) => {
      const offset = Number.MAX_SAFE_INTEGER;
      expect(await (await open())[list]({ offset })).toMatchObject({ metadata: { offset }, data: [] });
    });

    describe.each(LISTS)("refuses out-of-bounds pages of %s", (list) => {
      it.each([
        [{ limit: 0 }, LIMIT_RULE],
        [{ limit: -1 }, LIMIT_RULE],
        [{ limit: 1.5 }, LIMIT_RULE],
        [{ limit: Number.NaN }, LIMIT_RULE],
        [{ offset: -1 }, OFFSET_RULE],
        [{ offset: 0.5 }, OFFSET_RULE],
        [{ offset: Number.NaN }, OFFSET_RULE],
        [{ offset: 2 ** 53 }, OFFSET_RULE],
      ])("such as %o", async (page, rule) => {
        const source = await open();
        await expect(source[list](page)).rejects.toThrow(new UsageError(rule));
      });
    });

    it("holds at most 1,000 items in a page and says so, and readAll reads all pages in order", async () => {
      const source = await open(withManyVariables(2_001));
      const { metadata, data } = await source.listVariables({ limit: 5_000, offset: 1 });
      expect(metadata).toStrictEqual({ limit: 1_000, offset: 1, total: 2_001 });
      expect(data.map(({ id }) => id)).toStrictEqual(Array.from({ length: 1_000 }, (_, index) => index + 2));

      const ids = Array.from({ length: 2_001 }, (_, index) => index + 1);
      expect((await readAll((page) => source.listVariables(page))).map(({ id }) => id)).toStrictEqual(ids);
      expect((await readAll((page) => source.listValues(page))).map(({ id }) => id)).toStrictEqual(ids);
    });

    it.each(VARIABLES)("gets the variable $id", async (variable) => {
      expect(await (await open()).getVariable(variable.id)).toStrictEqual(variable);
    });

    it.each(VALUES)("gets the value $id by its id, its name, and its content alone", async (value) => {
      const source = await open();
      const { name = "" } = VARIABLES.find(({ id }) => id === value.variable_id) ?? {};
      expect(await source.getValue(value.id)).toStrictEqual(value);
      expect(await source.getValueByName(name)).toStrictEqual(value);
      expect(await source.getContentByName(name)).toStrictEqual(value.content);
    });

    it.each(["constructor", "toString", "hasOwnProperty"])("takes %s for an ordinary name", async (name) => {
      const data = edited(({ variables }) => {
        variables[1].name = name;
      });
      expect(await (await open()).getValueByName(name).catch(String)).toBe("NotFoundError: Not found");
      expect(await (await open(data)).getValueByName(name)).toStrictEqual(VALUES[0]);
    });

    it.each([
      ["getVariable", 99, "unknown id"],
      ["getVariable", 8, "another application's variable"],
      ["getVariable", 11, "id of a value"],
      ["getValue", 99, "unknown id"],
      ["getValue", 17, "another environment's value"],
      ["getValue", 18, "another application's value"],
      ["getValue", Number.MAX_SAFE_INTEGER, "largest id"],
    ] as const)("%s(%d) finds nothing: %s", async (method, id, _why) => {
      const source = await open();
      await expect(source[method](id)).rejects.toThrow(new NotFoundError("Not found"));
    });

    describe.each(BY_ID)("%s refuses what is no id", (method) => {
      it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])("such as %d", async (id) => {
        const source = await open();
        await expect(source[method](id)).rejects.toThrow(new UsageError("id must be a positive whole number"));
      });
    });

    describe.each(BY_NAME)("%s finds nothing under", (method) => {
      it.each(ABSENT_NAMES)("%j", async (name) => {
        const source = await open();
        await expect(source[method](name)).rejects.toThrow(new NotFoundError("Not found"));
      });
    });

    it("is healthy, and says since when and at what time", async () => {
      const health = await (await open()).getHealth();
      expect(health).toStrictEqual({ uptime: expect.any(Number), message: "OK", date: expect.any(String) });
      expect(health.uptime).toBeGreaterThanOrEqual(0);
      expect(new Date(health.date).toISOString()).toBe(health.date);
    });

    it("closes more than once without complaint", async () => {
      const source = await open();
      await source.close();
      await expect(source.close()).resolves.toBeUndefined();
    });
  });
}

function withManyVariables(count: number): unknown {
  return edited((data) => {
    const ids = Array.from({ length: count }, (_, index) => count - index);
    data.variables = ids.map((id) => ({ id, type: "NUMBER", name: `V${id}`, application: "shop" }));
    data.values = ids.map((id) => ({ id, variable_id: id, environment_id: 1, content: { value: id } }));
  });
}
