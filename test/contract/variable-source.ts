import { describe, expect, it } from "vitest";
import { NotFoundError, UsageError } from "../../src/kit/text/errors.js";
import { type PageRequest, readAll } from "../../src/model/reads/page.js";
import type { Snapshot, VariableSource } from "../../src/model/reads/read.js";
import type { Store } from "../../src/store/store.js";
import { changingStore } from "../support/changing-store.js";
import { DATA, edited } from "../support/data.js";
import { ABSENT_NAMES, NAMED_VALUES, VALUES, VARIABLES } from "./development.js";

/** The methods that get something by its id. */
const BY_ID = ["getVariable", "getValue"] as const;
const BY_NAME = ["getValueByName", "getContentByName"] as const;
const LIST_NAMES = ["listVariables", "listValues"] as const;

const LIMIT_RULE = "limit must be a whole number of 1 or more (over 1000 counts as 1000)";
const OFFSET_RULE = "offset must be a whole number of 0 or more";

/**
 * The behavior of every implementation of VariableSource.
 *
 * @param openStore opens a source for `shop/development` of the store; it is closed when the
 *   current test ends
 */
export function describeVariableSource(
  name: string,
  openStore: (store: Store) => Promise<VariableSource>,
): void {
  const open = (data: unknown = DATA) => openStore(changingStore(data));

  describe(`${name}, as a source of variables`, () => {
    it("lists the application's variables by ascending id, with the fields of the API only", async () => {
      const source = await open();
      expect(await source.listVariables()).toStrictEqual({
        metadata: { limit: 50, offset: 0, total: 7 },
        data: VARIABLES,
      });
    });

    it("lists the values of this environment by ascending id, each with its JSON type", async () => {
      const source = await open();
      expect(await source.listValues()).toStrictEqual({
        metadata: { limit: 50, offset: 0, total: 6 },
        data: VALUES,
      });
    });

    it.each(LIST_NAMES)("returns the requested page of %s", async (list) => {
      const source = await open();
      const { metadata, data } = await source[list]({ limit: 2, offset: 3 });
      const { total } = (await source[list]()).metadata;
      expect(metadata).toStrictEqual({ limit: 2, offset: 3, total });
      expect(data).toStrictEqual((await source[list]()).data.slice(3, 5));
    });

    it.each(LIST_NAMES)("returns an empty page after the end of %s", async (list) => {
      const page = await (await open())[list]({ offset: 7 });
      expect(page).toMatchObject({ metadata: { limit: 50, offset: 7 }, data: [] });
    });

    it.each(LIST_NAMES)("accepts an offset of %s as large as a safe integer", async (list) => {
      const offset = Number.MAX_SAFE_INTEGER;
      expect(await (await open())[list]({ offset })).toMatchObject({
        metadata: { offset },
        data: [],
      });
    });

    describe.each(LIST_NAMES)("refuses out-of-bounds pages of %s", (list) => {
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

    it("returns at most 1,000 items in a page, and readAll reads all pages in order", async () => {
      const source = await open(withManyVariables(2_001));
      const { metadata, data } = await source.listVariables({ limit: 5_000, offset: 1 });
      expect(metadata).toStrictEqual({ limit: 1_000, offset: 1, total: 2_001 });
      expect(data.map(({ id }) => id)).toStrictEqual(
        Array.from({ length: 1_000 }, (_, index) => index + 2),
      );

      const ids = Array.from({ length: 2_001 }, (_, index) => index + 1);
      expect(
        (await readAll((page) => source.listVariables(page))).map(({ id }) => id),
      ).toStrictEqual(ids);
      expect((await readAll((page) => source.listValues(page))).map(({ id }) => id)).toStrictEqual(
        ids,
      );
    });

    it.each(VARIABLES)("gets the variable $id", async (variable) => {
      expect(await (await open()).getVariable(variable.id)).toStrictEqual(variable);
    });

    it.each(VALUES)(
      "gets the value $id by its id, its name, and its content alone",
      async (value) => {
        const source = await open();
        const { name = "" } = VARIABLES.find(({ id }) => id === value.variable_id) ?? {};
        expect(await source.getValue(value.id)).toStrictEqual(value);
        expect(await source.getValueByName(name)).toStrictEqual(value);
        expect(await source.getContentByName(name)).toStrictEqual(value.content);
      },
    );

    it("returns all values of this environment by name, in the order of their variables", async () => {
      const values = await (await open()).values();
      expect(Object.entries(values)).toStrictEqual(Object.entries(NAMED_VALUES));
      expect(Object.keys(values)).toContain("__proto__");
    });

    it("returns the values of some names, and leaves out those without a value", async () => {
      const source = await open();
      expect(await source.values(["PORT"])).toStrictEqual({ PORT: 3000 });
      expect(Object.entries(await source.values(["EMPTY", "PORT", "EMPTY"]))).toEqual([
        ["PORT", 3000],
        ["EMPTY", ""],
      ]);
      expect(Object.keys(await source.values([...ABSENT_NAMES, "__proto__"]))).toEqual([
        "__proto__",
      ]);
      expect(await source.values(ABSENT_NAMES)).toStrictEqual({});
      expect(await source.values([])).toStrictEqual({});
    });

    it("returns the values of more names than fit into a request", async () => {
      const source = await open(withManyVariables(2_001));
      const names = Array.from({ length: 2_000 }, (_, index) => `V${index + 2}`);
      expect(Object.keys(await source.values())).toHaveLength(2_001);
      expect(Object.keys(await source.values(names))).toEqual(names);
    });

    it("checks the values of this environment, except encrypted ones", async () => {
      const data = edited(({ variables, values }) => {
        variables[0].schema = { maximum: 1 };
        variables[1].schema = { format: "url" };
        variables[6].optional = true;
        variables.push({ ...variables[6], id: 9, name: "MISSING", optional: false });
        values[1].content.value = "envbee:enc:v1:AAAA";
      });
      expect(await (await open()).checkValues()).toStrictEqual({ missing: ["UNSET"], invalid: [] });
      expect(await (await open(data)).checkValues()).toStrictEqual({
        missing: ["MISSING"],
        invalid: [{ name: "PORT", rule: "must be <= 1" }],
      });
    });

    it.each(["constructor", "toString", "hasOwnProperty"])(
      "treats %s as an ordinary name",
      async (name) => {
        const data = edited(({ variables }) => {
          variables[1].name = name;
        });
        expect(await (await open()).getValueByName(name).catch(String)).toBe(
          "NotFoundError: Not found",
        );
        expect(await (await open(data)).getValueByName(name)).toStrictEqual(VALUES[0]);
      },
    );

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

    describe.each(BY_ID)("%s refuses an invalid id", (method) => {
      it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
        "such as %d",
        async (id) => {
          const source = await open();
          await expect(source[method](id)).rejects.toThrow(
            new UsageError("id must be a positive whole number"),
          );
        },
      );
    });

    describe.each(BY_NAME)("%s finds nothing under", (method) => {
      it.each(ABSENT_NAMES)("the name %j", async (name) => {
        const source = await open();
        await expect(source[method](name)).rejects.toThrow(new NotFoundError("Not found"));
      });
    });

    it("reads a snapshot, and knows its revision afterwards", async () => {
      const source = await open();
      const read = await source.readSnapshot(async (snapshot) => ({
        variables: await snapshot.listVariables(),
        values: await snapshot.listValues(),
        variable: await snapshot.getVariable(2),
        value: await snapshot.getValue(12),
        byName: await snapshot.getValueByName("PORT"),
        content: await snapshot.getContentByName("PORT"),
        absent: await snapshot.getContentByName("NOPE").catch(String),
        revision: snapshot.revision,
      }));
      expect(read).toStrictEqual({
        variables: await source.listVariables(),
        values: await source.listValues(),
        variable: VARIABLES[1],
        value: VALUES[1],
        byName: VALUES[1],
        content: VALUES[1]?.content,
        absent: "NotFoundError: Not found",
        revision: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      });
    });

    it.each<[string, (snapshot: Snapshot) => Promise<unknown>]>([
      ["a value", (snapshot) => snapshot.getContentByName("PORT")],
      [
        "a value that is gone by then",
        (snapshot) => snapshot.getContentByName("DATABASE_URL").catch(String),
      ],
      ["a value that is new", (snapshot) => snapshot.getContentByName("UNSET").catch(String)],
      ["a list", (snapshot) => snapshot.listValues()],
      ["all values", (snapshot) => snapshot.values()],
    ])("reads one revision of data that changes in the meantime: %s", async (_what, read) => {
      const store = changingStore(DATA);
      const source = await openStore(store);
      const next = edited((data) => {
        data.values[0].content.value = 4000;
        data.values.splice(1, 1);
        data.values.find(
          ({ variable_id }: { variable_id: number }) => variable_id === 7,
        ).environment_id = 1;
      });
      const readBoth = async (snapshot: Snapshot) => ({
        list: await snapshot.listValues(),
        other: await read(snapshot),
      });
      const before = await source.readSnapshot(readBoth);
      const during = await source.readSnapshot(async (snapshot) => {
        const list = await snapshot.listValues();
        store.replace(next);
        return { list, other: await read(snapshot) };
      });
      const after = await source.readSnapshot(readBoth);
      expect(after).not.toEqual(before);
      expect([before, after]).toContainEqual(during);
    });

    it("reads a list completely although an item is deleted in the meantime", async () => {
      const store = changingStore(withManyVariables(1_500));
      const source = await openStore(store);
      const shorter = structuredClone(store.data);
      const without = { ...shorter, values: shorter.values.filter(({ id }) => id !== 1) };
      const ids = await source.readSnapshot(async (snapshot) => {
        const list = async (page: PageRequest) => {
          const found = await snapshot.listValues(page);
          store.replace(without);
          return found;
        };
        return (await readAll(list)).map(({ id }) => id);
      });
      expect([1_500, 1_499]).toContain(ids.length);
      expect(ids).toContain(1_001);
    });

    it("rejects with the error of reading a snapshot", async () => {
      const source = await open();
      const error = new Error("of the reader");
      await expect(source.readSnapshot(() => Promise.reject(error))).rejects.toBe(error);
      await expect(source.readSnapshot((snapshot) => snapshot.getVariable(99))).rejects.toThrow(
        NotFoundError,
      );
    });

    it("is healthy, with its uptime and the time", async () => {
      const health = await (await open()).getHealth();
      expect(health).toStrictEqual({
        uptime: expect.any(Number),
        message: "OK",
        date: expect.any(String),
      });
      expect(health.uptime).toBeGreaterThanOrEqual(0);
      expect(new Date(health.date).toISOString()).toBe(health.date);
    });

    it("can be closed more than once", async () => {
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
    data.values = ids.map((id) => ({
      id,
      variable_id: id,
      environment_id: 1,
      content: { value: id },
    }));
  });
}
