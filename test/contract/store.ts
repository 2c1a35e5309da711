import { describe, expect, it, vi } from "vitest";
import { NotFoundError } from "../../src/kit/text/errors.js";
import type { JsonValue } from "../../src/kit/text/strict-json.js";
import { type Data, lastId } from "../../src/store/data.js";
import {
  addEnvironment,
  copyValues,
  removeEnvironment,
  renameEnvironment,
  rotateEnvironment,
} from "../../src/store/edits/edit-environments.js";
import { renameVariable, setValues } from "../../src/store/edits/edit-values.js";
import type { EditableStore } from "../../src/store/store.js";
import { MARKER, marked } from "../store/broken-data.js";
import { DATA, edited } from "../support/data.js";
import { contents, DEVELOPMENT_ID, increment, set, setJson, unset } from "../support/edits.js";

/** Data that any number of handles can open. */
export interface StoredData {
  /** Opens one more handle, which is closed when the current test ends. */
  open(options?: { watch?: boolean }): Promise<EditableStore>;
  /** Something that is different after each write. */
  version(): Promise<unknown>;
}

const TEST = 2;

/**
 * The behavior of every implementation of EditableStore.
 *
 * @param hold stores data for the current test, as it would be by hand: unchecked, without defaults
 */
export function describeStore(name: string, hold: (data: unknown) => Promise<StoredData>): void {
  const opened = async (data: unknown = DATA) => (await hold(data)).open();

  describe(`${name}, as a store`, () => {
    it("has the data, with defaults filled in", async () => {
      const store = await opened({
        version: 1,
        environments: [{ id: 1, name: "test", api_key: "key", api_secret: "secret" }],
        variables: [{ id: 2, type: "STRING", name: "A" }],
        values: [{ id: 3, variable_id: 2, environment_id: 1, content: { value: "a" } }],
      });
      expect(store.data).toStrictEqual({
        version: 1,
        environments: [
          { id: 1, application: "default", name: "test", api_key: "key", api_secret: "secret" },
        ],
        variables: [{ id: 2, application: "default", type: "STRING", name: "A", description: "" }],
        values: [{ id: 3, variable_id: 2, environment_id: 1, content: { value: "a" } }],
      });
      expect(store.problem).toBeUndefined();
    });

    it("refuses data that breaks a rule, with the record and without a value", async () => {
      const stored = await hold(marked(({ values }) => (values[3].variable_id = 99)));
      const error: Error = await stored.open().then(
        () => expect.unreachable(),
        (reason) => reason,
      );
      expect(error).toMatchObject({ code: "invalid_data" });
      expect(error.message).toMatch(/values\[3\] \(id 14\): there is no variable with the id 99$/);
      expect(error.message).not.toContain(MARKER);
    });

    it("has a change in its data once it is made, as does every store opened later", async () => {
      const stored = await hold(DATA);
      const store = await stored.open();
      await store.update((data) => set(data, { NEW: "a", PORT: 4000 }));
      expect(contents(store)).toMatchObject({ NEW: "a", PORT: 4000 });
      expect(byId((await stored.open()).data)).toStrictEqual(byId(store.data));
    });

    it("keeps what variables say about their values, in the order of a data file", async () => {
      const rules = {
        optional: true,
        secret: false,
        schema: { enum: [3000, 4000, "x"], properties: { z: {}, a: {} } },
      };
      const variables = DATA.variables.map((variable) => ({ ...variable, ...rules }));
      const stored = await hold({ ...DATA, variables });
      const store = await stored.open();
      await store.update(async (data) => set(data, { PORT: 4000 }));
      const { data } = await stored.open();
      const text = JSON.stringify({ ...DATA.variables[0], ...rules });
      expect(JSON.stringify(data.variables.find(({ id }) => id === 2))).toBe(text);
    });

    describe("with schemas", () => {
      const RULED = edited(({ variables }) => {
        variables[0].schema = { minimum: 1_024 };
        variables[1].schema = { pattern: "^postgres:" };
      }) as typeof DATA;
      const BROKEN = { PORT: 80, DATABASE_URL: "hunter2" };
      const staging = { application: "shop", name: "staging" };
      const strict = (data: Data) => {
        const [port, ...variables] = data.variables;
        return { ...data, variables: [{ ...port, schema: { maximum: 1 } }, ...variables] } as Data;
      };

      it("refuses changed values that break them, with the names and no value, and changes nothing", async () => {
        const store = await opened(RULED);
        const { data } = store;
        const error: Error = await store
          .update((data) => set(data, BROKEN))
          .then(
            () => expect.unreachable(),
            (reason) => reason,
          );
        const [, ...rules] = error.message.split(/refused by the schema: |; /).toSorted();
        expect([error, rules]).toMatchObject([
          { code: "usage" },
          ['DATABASE_URL must match pattern "^postgres:"', "PORT must be >= 1024"],
        ]);
        await expect(
          store.update((data) => {
            const home = data.environments.find(({ id }) => id === DEVELOPMENT_ID);
            const other = set(data, { DATABASE_URL: "postgres:" });
            return setValues(other, home as never, [
              { name: "NEW", value: 1, type: "NUMBER", schema: { maximum: 0 } },
            ]);
          }),
        ).rejects.toThrow("refused by the schema: NEW must be <= 0");
        expect(byId(store.data)).toStrictEqual(byId(data));
      });

      it("refuses a copy of values that break them", async () => {
        const broken = edited(({ variables }) => (variables[0].schema = { maximum: 1 }));
        const store = await opened(broken);
        const copy = store.update((data) => {
          const added = addEnvironment(data, staging, {
            api_key: "new-key",
            api_secret: "new-secret",
          });
          return copyValues(
            added,
            added.environments.find(({ id }) => id === DEVELOPMENT_ID) as never,
            staging,
          );
        });
        await expect(copy).rejects.toThrow("refused by the schema: PORT must be <= 1");
      });

      it("takes a stricter schema than its values, and changes of others that break theirs already", async () => {
        const store = await opened(RULED);
        await store.update(strict);
        await store.update((data) => set(data, { NEW: "a" }));
        await store.update((data) => renameVariable(data, "shop", "PORT", "LISTEN"));
        expect(contents(store)).toMatchObject({ LISTEN: 3000, NEW: "a" });
      });

      it("makes a change that may break them, and one of values that a client has encrypted", async () => {
        const store = await opened(RULED);
        await store.update((data) => setJson(data, "DATABASE_URL_2", "x"));
        await store.update((data) => set(data, BROKEN), { mayBreakSchemas: true });
        expect(contents(store)).toMatchObject(BROKEN);
        await store.update((data) => set(data, { DATABASE_URL: "envbee:enc:v1:AAAA" }));
      });
    });

    it("applies a change to the data as others have changed it", async () => {
      const stored = await hold(DATA);
      const [one, other] = [await stored.open(), await stored.open()];
      await one.update((data) => set(data, { ONE: "1" }));
      await other.update((data) => set(data, { OTHER: "2" }));
      await one.update((data) => set(data, { ONE: "3" }));
      expect(contents(one)).toMatchObject({ ONE: "3", OTHER: "2" });
      expect(byId((await stored.open()).data)).toStrictEqual(byId(one.data));
    });

    it("has copied and renamed environments, and renamed variables", async () => {
      const stored = await hold(DATA);
      const store = await stored.open();
      const staging = { application: "billing", name: "staging" };
      await store.update((data) => {
        const added = addEnvironment(data, staging, {
          api_key: "new-key",
          api_secret: "new-secret",
        });
        return copyValues(added, added.environments[0] as never, staging);
      });
      await store.update((data) => renameVariable(data, "billing", "PORT", "LISTEN"));
      await store.update((data) => {
        const renamed = data.environments.find(({ name }) => name === "staging");
        return renameEnvironment(data, renamed as never, { ...staging, name: "qa" });
      });
      const { data } = await stored.open();
      expect(byId(data)).toStrictEqual(byId(store.data));
      const qa = data.environments.find(({ name }) => name === "qa");
      const listen = data.variables.find(({ name }) => name === "LISTEN");
      const copy = data.values.find(
        (each) => each.variable_id === listen?.id && each.environment_id === qa?.id,
      );
      expect([listen?.application, copy?.content.value]).toEqual(["billing", 3000]);
    });

    it("reports the changes of others to its watchers", async () => {
      const stored = await hold(DATA);
      const [watching, store] = [await stored.open({ watch: true }), await stored.open()];
      const listener = vi.fn();
      const unsubscribed = vi.fn();
      watching.subscribe(listener);
      watching.subscribe(unsubscribed)();
      for (const value of ["a", "b"]) {
        await store.update((data) => set(data, { NEW: value }));
        await expect.poll(() => contents(watching)["NEW"]).toBe(value);
        expect(byId(watching.data)).toStrictEqual(byId(store.data));
      }
      expect(listener).toHaveBeenCalled();
      expect(unsubscribed).not.toHaveBeenCalled();
    });

    it.each([true, false])(
      "reports its own changes once they are made, with watch: %s",
      async (watch) => {
        const store = await (await hold(DATA)).open({ watch });
        const seen: unknown[] = [];
        store.subscribe(() => seen.push(contents(store)["NEW"]));
        for (const value of ["a", "b"]) {
          await store.update((data) => set(data, { NEW: value }));
          expect(seen.at(-1)).toBe(value);
        }
      },
    );

    it.each([true, false])(
      "reports no change of its own that was not made, with watch: %s",
      async (watch) => {
        const store = await (await hold(DATA)).open({ watch });
        const listener = vi.fn();
        store.subscribe(listener);
        const invalid = (data: Data) => ({
          ...data,
          variables: [...data.variables, ...data.variables.slice(0, 1)],
        });
        await expect(store.update(invalid)).rejects.toThrow("has the same id");
        expect(listener).not.toHaveBeenCalled();
      },
    );

    it("changes nothing if the change throws, and rejects with its error", async () => {
      const stored = await hold(DATA);
      const store = await stored.open();
      const [snapshot, version] = [store.data, await stored.version()];
      const error = new NotFoundError("mine");
      const throwing = () => {
        throw error;
      };
      await expect(store.update(throwing)).rejects.toBe(error);
      expect(store.data).toBe(snapshot);
      expect(await stored.version()).toStrictEqual(version);
    });

    it("changes nothing if the new data breaks a rule", async () => {
      const stored = await hold(DATA);
      const store = await stored.open();
      const [snapshot, version] = [store.data, await stored.version()];
      const twice = (data: Data) => ({
        ...data,
        variables: [...data.variables, ...data.variables.slice(0, 1)],
      });
      await expect(store.update(twice)).rejects.toThrow(
        /variables\[8\] \(id \d, "\w+"\): has the same id as variables\[0\]$/,
      );
      expect(store.data).toBe(snapshot);
      expect(await stored.version()).toStrictEqual(version);
      await store.update((data) => set(data, { PORT: 1 }));
      expect(contents(store)).toMatchObject({ PORT: 1 });
    });

    it("writes nothing if the change returns its argument", async () => {
      const stored = await hold(DATA);
      const store = await stored.open();
      const version = await stored.version();
      await store.update((data) => data);
      expect(await stored.version()).toStrictEqual(version);
    });

    it("never uses an id again, not even the highest after it was deleted", async () => {
      const stored = await hold(DATA);
      const [store, other] = [await stored.open(), await stored.open()];
      await store.update((data) => set(data, { A: "a" }));
      expect(idsOf(store, "A")).toEqual([9, 20]);
      await store.update((data) => unset(data, "A"));
      await other.update((data) => set(data, { B: "b" }));
      expect(idsOf(other, "B")).toEqual([10, 21]);
      await other.update((data) => unset(data, "B"));
      const later = await stored.open();
      await later.update((data) => set(data, { C: "c" }));
      expect(idsOf(later, "C")).toEqual([11, 22]);
      await later.update((data) => removeEnvironment(data, "billing/development"));
      expect(lastId((await stored.open()).data, "environments")).toBe(4);
    });

    it("gives each of the records that many add at the same time an id of its own", async () => {
      const stored = await hold(DATA);
      const stores = await openMany(stored, 8);
      const names = stores.map((_, index) => `ADDED_${index}`);
      await Promise.all(
        stores.map((store, index) =>
          store.update((data) => set(data, { [names[index] ?? ""]: "x" })),
        ),
      );
      const { data } = await stored.open();
      const added = data.variables.filter(({ name }) => name.startsWith("ADDED_"));
      expect(added.map(({ name }) => name).sort()).toStrictEqual(names);
      expect(added.map(({ id }) => id).sort((a, b) => a - b)).toStrictEqual([
        9, 10, 11, 12, 13, 14, 15, 16,
      ]);
      expect(data.values).toHaveLength(DATA.values.length + 8);
    });

    it("loses none of the changes that several make to one value", async () => {
      const stored = await hold(DATA);
      const stores = [await stored.open({ watch: true }), ...(await openMany(stored, 3))];
      await Promise.all(
        stores.flatMap((store) => Array.from({ length: 5 }, () => store.update(increment))),
      );
      expect(contents(await stored.open())).toMatchObject({ PORT: 3020 });
      await expect.poll(() => contents(stores[0] as EditableStore)["PORT"]).toBe(3020);
    });

    it("changes several records as one: no reader sees half of a rename", async () => {
      const stored = await hold(DATA);
      const [watching, store] = [await stored.open({ watch: true }), await stored.open()];
      const seen = new Set<string>();
      const names = ["DATABASE_URL", "FIRST", "SECOND", "THIRD"];
      const look = (from: Pick<EditableStore, "data">) => {
        const [name, ...others] = Object.keys(contents(from)).filter((known) =>
          names.includes(known),
        );
        expect(others).toEqual([]);
        seen.add(name ?? "none");
      };
      watching.subscribe(() => look(watching));
      for (const [index, name] of names.slice(1).entries()) {
        await store.update((data) => set(unset(data, names[index] ?? ""), { [name]: "moved" }));
        look(await stored.open());
      }
      await expect.poll(() => contents(watching)["THIRD"]).toBe("moved");
      expect([...seen].filter((name) => !names.includes(name))).toEqual([]);
    });

    it("changes thousands of records as one", async () => {
      const stored = await hold(DATA);
      const [watching, store] = [await stored.open({ watch: true }), await stored.open()];
      const counts = new Set<number>();
      const look = ({ data }: EditableStore) => counts.add(data.values.length);
      watching.subscribe(() => look(watching));
      const many = Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [`V${index}`, `${index}`]),
      );
      let isDone = false;
      const importing = store
        .update((data) => set(data, many))
        .finally(() => {
          isDone = true;
        });
      while (!isDone) look(await stored.open());
      await importing;
      await expect.poll(() => watching.data.values.length).toBe(1_009);
      await watching.update((data) => unset(data, ...Object.keys(many)));
      await expect.poll(async () => look(await stored.open()).size).toBeGreaterThan(0);
      expect([...counts].sort()).toEqual([1_009, 9]);
      expect(byId((await stored.open()).data)).toStrictEqual(byId(watching.data));
    });

    it("keeps the earlier credentials of a rotated environment", async () => {
      const stored = await hold(DATA);
      const store = await stored.open();
      const times = { now: Date.UTC(2030, 0, 1), grace: 60_000 };
      for (const next of ["second", "third"]) {
        const pair = { api_key: `${next}-key`, api_secret: `${next}-secret` };
        await store.update((data) => rotateEnvironment(data, "shop/test", pair, times));
      }
      const valid_until = "2030-01-01T00:01:00.000Z";
      const { data } = await stored.open();
      expect(data.environments.find(({ id }) => id === TEST)).toStrictEqual({
        ...{
          id: TEST,
          application: "shop",
          name: "test",
          api_key: "third-key",
          api_secret: "third-secret",
        },
        previous: [
          { api_key: "second-key", api_secret: "second-secret", valid_until },
          { api_key: "test-key", api_secret: "test-secret", valid_until },
        ],
      });
    });

    it("keeps $schema, and the highest ids that there were", async () => {
      const last_ids = { environments: 40, variables: 50, values: 60 };
      const stored = await hold({ $schema: "./appvars.schema.json", ...DATA, last_ids });
      const store = await stored.open();
      expect(store.data).toMatchObject({ $schema: "./appvars.schema.json", last_ids });
      await store.update((data) => set(data, { A: "a", PORT: 1 }));
      const { data } = await stored.open();
      expect(data).toMatchObject({ $schema: "./appvars.schema.json", last_ids });
      expect(data.variables.at(-1)).toMatchObject({ name: "A", id: 51 });
      await store.update((data) => unset(data, "A"));
      expect((await stored.open()).data).toMatchObject({
        $schema: "./appvars.schema.json",
        last_ids: { environments: 40, variables: 51, values: 61 },
      });
    });

    it("has records in the order of their ids, if they were added so", async () => {
      const sorted = byId(DATA) as Data;
      const stored = await hold(sorted);
      const store = await stored.open();
      expect(store.data).toStrictEqual(sorted);
      await store.update((data) => set(data, { A: "a", B: "b" }));
      await store.update((data) => set(data, { DATABASE_URL: "c" }));
      expect((await stored.open()).data).toStrictEqual(byId(store.data));
    });

    it.each<[string, JsonValue]>([
      [
        "an object with the key __proto__",
        JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":2}}'),
      ],
      ["an object with numbers as keys", { b: 1, 10: 2, 9: 3 }],
      ["lone surrogates", "\ud800 \udfff\ud800"],
      ["line separators", "\u2028\u2029\u0085\r\n"],
      ["control characters", "\u0000\u001b\u007f\ufeff\ufffe"],
      ["a text of 100 KB", "💾\\\"'".repeat(17_000)],
      ["a text that looks like records", '{"id":1},{"id":2}]}'],
      [
        "numbers at the limits",
        [0, 1e21, 0.1, 5e-324, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER + 1, -1e-7],
      ],
      ["nested lists", JSON.parse(`${"[".repeat(50)}${"]".repeat(50)}`)],
    ])("holds any JSON: %s", async (_what, value) => {
      const stored = await hold(DATA);
      const store = await stored.open();
      const { data } = store;
      await store.update((data) => setJson(data, "FLAGS", value));
      for (const { data: changed } of [store, await stored.open()]) {
        expect(JSON.stringify(contents({ data: changed })["FLAGS"])).toBe(JSON.stringify(value));
        expect(contents({ data: changed })).toMatchObject({ PORT: 3000, EMPTY: "" });
        expect(changed.variables).toHaveLength(data.variables.length);
      }
    });

    it("holds a variable called __proto__ like any other", async () => {
      const stored = await hold(DATA);
      const store = await stored.open();
      await store.update((data) => set(data, JSON.parse('{"__proto__":"changed"}')));
      const { data } = await stored.open();
      expect(data.values.find(({ id }) => id === 15)).toStrictEqual({
        ...{ id: 15, variable_id: 5, environment_id: DEVELOPMENT_ID },
        content: { value: "changed" },
      });
    });

    it("hears nothing any more once it is closed, and can be closed again", async () => {
      const stored = await hold(DATA);
      const [closed, watching, store] = [
        await stored.open({ watch: true }),
        await stored.open({ watch: true }),
        await stored.open(),
      ];
      const listener = vi.fn();
      closed.subscribe(listener);
      await closed.close();
      await store.update((data) => set(data, { NEW: "a" }));
      await expect.poll(() => contents(watching)["NEW"]).toBe("a");
      expect(listener).not.toHaveBeenCalled();
      await expect(closed.close()).resolves.toBeUndefined();
    });
  });
}

function openMany(stored: StoredData, count: number): Promise<EditableStore[]> {
  return Promise.all(Array.from({ length: count }, () => stored.open()));
}

/** The ids of a variable and of its value. */
function idsOf({ data }: EditableStore, name: string): (number | undefined)[] {
  const variable = data.variables.find((each) => each.name === name);
  return [variable?.id, data.values.find(({ variable_id }) => variable_id === variable?.id)?.id];
}

/** The data with its lists sorted: a data file keeps the order it has. */
function byId(data: Data): unknown {
  const sorted = <T extends { id: number }>(list: readonly T[]) =>
    list.toSorted((a, b) => a.id - b.id);
  const { environments, variables, values } = data;
  return {
    ...data,
    environments: sorted(environments),
    variables: sorted(variables),
    values: sorted(values),
  };
}
