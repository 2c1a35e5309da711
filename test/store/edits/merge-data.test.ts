import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/kit/text/strict-json.js";
import type { EnvironmentRecord } from "../../../src/model/environment.js";
import { type Data, NO_DATA, withLastIds } from "../../../src/store/data.js";
import {
  addEnvironment,
  addKey,
  removeEnvironment,
  removeKey,
  renameEnvironment,
  rotateEnvironment,
  rotateKey,
} from "../../../src/store/edits/edit-environments.js";
import {
  type Assignment,
  renameVariable,
  setValues,
  unsetValues,
} from "../../../src/store/edits/edit-values.js";
import { mergeData } from "../../../src/store/edits/merge-data.js";
import { mergeFiles } from "../../../src/store/file/merge-files.js";

const pair = (name: string) => ({
  api_key: `${name}-key`,
  api_secret: `${name}-secret-0123456789`,
});
const environment = (data: Data, name: string) =>
  data.environments.find((each) => each.name === name) as EnvironmentRecord;
const set = (
  data: Data,
  name: string,
  value: JsonValue | undefined,
  place = "dev",
  more: Partial<Assignment> = {},
) => setValues(data, environment(data, place), [{ name, value, type: "STRING", ...more }]);
const unset = (data: Data, name: string, ...places: string[]) =>
  withLastIds(
    data,
    unsetValues(
      data,
      places.map((place) => environment(data, place)),
      [name],
    ),
  );
const rename = (data: Data, name: string, newName: string) =>
  renameVariable(data, "shop", name, newName);
const add = (data: Data, name: string) =>
  addEnvironment(data, { application: "shop", name }, pair(name));

const BASE = ["dev", "test"].reduce((data, place) => {
  const added = add(data, place);
  return set(set(added, "A", `a ${place}`, place), "B", `b ${place}`, place);
}, NO_DATA);

/** `NAME@environment` and its value. */
function valuesOf({ environments, variables, values }: Data): Record<string, JsonValue> {
  const name = (list: readonly { id: number; name: string }[], id: number) =>
    list.find((each) => each.id === id)?.name;
  return Object.fromEntries(
    values.map(({ variable_id, environment_id, content }) => [
      `${name(variables, variable_id)}@${name(environments, environment_id)}`,
      content.value,
    ]),
  );
}

const ids = (data: Data) => Object.fromEntries(data.variables.map(({ id, name }) => [name, id]));
const KEPT = valuesOf(BASE);

/** The conflicts of a merge, and its values that are not those of the base. */
async function merged(ours: Data, theirs: Data, base = BASE) {
  const { data, conflicts } = await mergeData(base, ours, theirs);
  return {
    data,
    conflicts: conflicts.map(({ record, problem }) => `${record}: ${problem}`),
    values: valuesOf(data),
  };
}

describe("a merge without a conflict", () => {
  it("takes the changes of both", async () => {
    const { conflicts, values } = await merged(set(BASE, "A", "1"), set(BASE, "A", "2", "test"));
    expect([conflicts, values]).toEqual([[], { ...KEPT, "A@dev": "1", "A@test": "2" }]);
  });

  it("gives a new record of theirs a free id, and keeps those of ours", async () => {
    const { data, conflicts, values } = await merged(
      set(BASE, "OURS", "1"),
      set(set(BASE, "THEIRS", "2"), "LATER", "3"),
    );
    expect(conflicts).toEqual([]);
    expect(ids(data)).toEqual({ A: 1, B: 2, OURS: 3, THEIRS: 5, LATER: 4 });
    expect(values).toEqual({ ...KEPT, "OURS@dev": "1", "THEIRS@dev": "2", "LATER@dev": "3" });
  });

  it("makes one of a variable that both have added alike", async () => {
    const { data, conflicts } = await merged(
      set(BASE, "NEW", "1"),
      set(set(BASE, "OTHER", "2"), "NEW", "1"),
    );
    expect([conflicts, ids(data)]).toEqual([[], { A: 1, B: 2, NEW: 3, OTHER: 5 }]);
  });

  it("never gives out an id that either side has deleted", async () => {
    const ours = unset(set(BASE, "GONE", "1"), "GONE", "dev");
    const { data } = await merged(ours, set(BASE, "NEW", "1"));
    expect(ids(data)).toEqual({ A: 1, B: 2, NEW: 4 });
    const other = await merged(set(BASE, "A", "1"), unset(set(BASE, "GONE", "1"), "GONE", "dev"));
    expect(other.data.last_ids).toEqual({ environments: 2, variables: 3, values: 5 });
    const again = set(set(unset(BASE, "B", "dev", "test"), "B", "b dev"), "B", "b test", "test");
    const gone = await merged(again, unset(BASE, "B", "dev", "test"));
    expect([gone.conflicts, ids(gone.data)]).toEqual([[], { A: 1 }]);
    expect(gone.data.last_ids).toEqual({ environments: 2, variables: 3, values: 6 });
  });

  it.each<[string, Data, Data]>([
    ["ours", rename(BASE, "A", "NEW"), set(BASE, "A", "1", "test", { description: "the first" })],
    ["theirs", set(BASE, "A", "1", "test", { description: "the first" }), rename(BASE, "A", "NEW")],
  ])(
    "applies the changes of the other side to a variable that was renamed by %s",
    async (_side, ours, theirs) => {
      const { data, conflicts, values } = await merged(ours, theirs);
      expect([conflicts, values["NEW@dev"], values["NEW@test"]]).toEqual([[], "a dev", "1"]);
      expect(data.variables).toMatchObject([
        { id: 1, name: "NEW", description: "the first" },
        { id: 2, name: "B" },
      ]);
    },
  );

  it("follows an environment that was renamed and rotated", async () => {
    const place = environment(BASE, "test");
    const renamed = renameEnvironment(BASE, place, { application: "shop", name: "qa" });
    const theirs = rotateEnvironment(renamed, "qa", pair("new"), { now: 0, grace: 1 });
    const { data, conflicts, values } = await merged(set(BASE, "A", "1", "test"), theirs);
    expect([conflicts, values["A@qa"]]).toEqual([[], "1"]);
    expect(environment(data, "qa")).toMatchObject(pair("new"));
  });

  it("does not take a variable for a renamed one because a merge has given it the id", async () => {
    const base = set(BASE, "THEIRS", "1", "dev", { description: "of theirs" });
    const ours = set(BASE, "OURS", "2");
    const theirs = set(base, "THEIRS", undefined, "dev", { description: "changed" });
    const lost = ["variable shop/THEIRS: removed by ours, changed by theirs"];
    expect((await merged(ours, theirs, base)).conflicts).toEqual(lost);
    const other = addEnvironment(BASE, { application: "other", name: "prod" }, pair("other"));
    const elsewhere = set(other, "OURS", "2", "prod", { description: "of theirs" });
    expect(elsewhere.variables.at(-1)?.id).toBe(base.variables.at(-1)?.id);
    expect((await merged(elsewhere, theirs, base)).conflicts).toEqual(lost);
  });

  it("does not take a variable for a renamed one of another application, which has its id", async () => {
    const base = addEnvironment(BASE, { application: "billing", name: "qa" }, pair("qa"));
    // As in a file that was edited by hand: values of the removed variable are gone, and its id is
    // given again.
    const ours: Data = {
      ...base,
      variables: base.variables.map((each) =>
        each.name === "B" ? { ...each, application: "billing", name: "C" } : each,
      ),
      values: base.values.flatMap((each) => {
        if (each.variable_id !== 2) return each;
        return each.environment_id === 1
          ? { ...each, environment_id: 3, content: { value: "c" } }
          : [];
      }),
    };
    const { conflicts, data } = await merged(ours, set(base, "A", "1"), base);
    expect([conflicts, ids(data)]).toEqual([[], { A: 1, C: 2 }]);
    const changed = await merged(
      ours,
      set(base, "B", "1", "dev", { description: "changed" }),
      base,
    );
    expect(changed.conflicts).not.toEqual([]);
    expect(changed.data.variables.find(({ name }) => name === "C")?.description).toBe("");
  });

  it("removes a definition whose last values were unset, one by each side", async () => {
    const { data, conflicts } = await merged(unset(BASE, "A", "dev"), unset(BASE, "A", "test"));
    expect([conflicts, ids(data)]).toEqual([[], { B: 2 }]);
  });

  it("removes what one side has removed and the other has not touched", async () => {
    const theirs = removeEnvironment(unset(BASE, "A", "dev", "test"), "test");
    const { data, conflicts } = await merged(set(BASE, "B", "1"), theirs);
    expect([conflicts, valuesOf(data)]).toEqual([[], { "B@dev": "1" }]);
  });

  it("merges keys by their names", async () => {
    const base = addKey(addKey(BASE, "dev", { name: "ana", ...pair("ana") }), "test", {
      name: "ana",
      ...pair("ana2"),
    });
    const ours = addKey(rotateKey(base, "dev", "ana", pair("new"), { now: 0, grace: 0 }), "dev", {
      name: "bo",
      ...pair("bo"),
    });
    const theirs = removeKey(
      addKey(base, "dev", { name: "ci", ...pair("ci"), only: ["A"] }),
      "test",
      "ana",
    );
    const { data, conflicts } = await merged(ours, theirs, base);
    expect(conflicts).toEqual([]);
    expect(environment(data, "dev").keys).toMatchObject([
      { name: "ana", ...pair("new") },
      { name: "bo" },
      { name: "ci", only: ["A"] },
    ]);
    expect(environment(data, "test")).not.toHaveProperty("keys");
  });

  it("merges two files that began apart", async () => {
    const ours = set(add(NO_DATA, "dev"), "A", "1");
    const theirs = set(add(NO_DATA, "prod"), "A", "2", "prod");
    const { data, conflicts } = await merged(ours, theirs, NO_DATA);
    expect([conflicts, valuesOf(data)]).toEqual([[], { "A@dev": "1", "A@prod": "2" }]);
  });

  it("takes a setting of the file that one side has changed", async () => {
    const { data, conflicts } = await merged(
      { ...BASE, history: { entries: 5 } },
      { ...BASE, $schema: "s.json" },
    );
    expect([conflicts, data.history, data.$schema]).toEqual([[], { entries: 5 }, "s.json"]);
  });
});

describe("a conflict keeps what ours has, merges the rest, and names", () => {
  it.each<[string, Data, Data, string[]]>([
    [
      "a value",
      set(BASE, "A", "1"),
      set(BASE, "A", "2"),
      ["shop/A in shop/dev: value: changed by both"],
    ],
    [
      "a value that one has removed",
      set(BASE, "A", "1"),
      unset(BASE, "A", "dev"),
      ["shop/A in shop/dev: changed by ours, removed by theirs"],
    ],
    [
      "a description",
      set(BASE, "A", undefined, "dev", { description: "1" }),
      set(BASE, "A", undefined, "dev", { description: "2" }),
      ["variable shop/A: description: changed by both"],
    ],
    [
      "a name",
      rename(BASE, "A", "X"),
      rename(BASE, "A", "Y"),
      ["variable shop/A: name: changed by both"],
    ],
    [
      "a variable that was removed",
      unset(BASE, "A", "dev", "test"),
      set(BASE, "A", undefined, "dev", { optional: true }),
      ["variable shop/A: removed by ours, changed by theirs"],
    ],
    [
      "a variable with a changed value",
      set(BASE, "A", "1"),
      unset(BASE, "A", "dev", "test"),
      ["variable shop/A: changed by ours, removed by theirs"],
    ],
    [
      "an environment that was removed",
      removeEnvironment(BASE, "test"),
      addKey(BASE, "test", { name: "ana", ...pair("ana") }),
      ["environment shop/test: removed by ours, changed by theirs"],
    ],
    [
      "an environment with a new value",
      set(BASE, "NEW", "1", "test"),
      removeEnvironment(BASE, "test"),
      ["environment shop/test: changed by ours, removed by theirs"],
    ],
    [
      "a name that both have given",
      set(BASE, "NEW", "1"),
      rename(BASE, "A", "NEW"),
      ["variable shop/A: name: used for another by ours"],
    ],
    [
      "credentials that both have rotated",
      rotateEnvironment(BASE, "dev", pair("one"), { now: 0, grace: 0 }),
      rotateEnvironment(BASE, "dev", pair("two"), { now: 0, grace: 0 }),
      ["environment shop/dev: credentials: changed by both"],
    ],
    [
      "a key that both have added",
      addKey(BASE, "dev", { name: "ana", ...pair("one") }),
      addKey(BASE, "dev", { name: "ana", ...pair("two") }),
      ["key ana in shop/dev: credentials: changed by both"],
    ],
    [
      "a setting of the file",
      { ...BASE, history: { entries: 5 } },
      { ...BASE, history: { entries: 6 } },
      ["setting: history: changed by both"],
    ],
  ])("%s", async (_what, ours, theirs, expected) => {
    const { data, conflicts } = await merged(ours, set(theirs, "B", "of theirs"));
    expect(conflicts).toEqual(expected);
    expect({ ...data, last_ids: 0 }).toEqual({ ...set(ours, "B", "of theirs"), last_ids: 0 });
  });

  it("a type that no longer fits a value of the other side", async () => {
    const base = unset(BASE, "A", "test");
    const ours = set(base, "A", 1, "dev", { type: "NUMBER" });
    for (const [one, other] of [
      [ours, set(base, "A", "text", "test")],
      [set(base, "A", "text", "test"), ours],
    ] as [Data, Data][]) {
      const { data, conflicts } = await merged(one, other, base);
      expect(conflicts).toEqual(["variable shop/A: type: changed by one, a value by the other"]);
      expect({ ...data, last_ids: 0 }).toEqual({ ...one, last_ids: 0 });
    }
  });
});

it("two environments with the same key are refused, since neither is wrong", async () => {
  const both = (name: string) => addEnvironment(BASE, { application: "shop", name }, pair("same"));
  await expect(mergeData(BASE, both("one"), both("two"))).rejects.toThrow("has the same api_key");
});

describe("where a value breaks its schema, a merge", () => {
  const ruled = (data: Data, schema: object, place = "dev") =>
    set(data, "A", undefined, place, { schema } as never);
  const mergedFiles = async (ours: Data, theirs: Data, base = BASE) => {
    const { data, conflicts } = await mergeFiles(base, ours, theirs, undefined);
    const schemas = Object.fromEntries(data.variables.map(({ name, schema }) => [name, schema]));
    return {
      values: valuesOf(data),
      schemas,
      conflicts: conflicts.map(({ record, problem }) => `${record}: ${problem}`),
    };
  };
  const strict = ruled(BASE, { maxLength: 6 });
  const long = "a very long value";

  it("keeps the value of ours, if theirs has set another one", async () => {
    const { values, schemas, conflicts } = await mergedFiles(
      strict,
      set(set(BASE, "A", long), "B", "b"),
    );
    const problem = "would break its schema: it must NOT have more than 6 characters";
    expect(conflicts).toEqual([`shop/A in shop/dev: shop/A in shop/dev ${problem}`]);
    expect([values, schemas["A"]]).toEqual([{ ...KEPT, "B@dev": "b" }, { maxLength: 6 }]);
    expect(JSON.stringify(conflicts)).not.toContain(long);
  });

  it("keeps the definition of ours, if theirs has made it stricter than a value of ours", async () => {
    const { values, schemas, conflicts } = await mergedFiles(set(BASE, "A", long, "test"), strict);
    expect(conflicts).toEqual([
      expect.stringMatching(/^variable shop\/A: shop\/A in shop\/test would break its schema: /),
    ]);
    expect([values, schemas["A"]]).toEqual([{ ...KEPT, "A@test": long }, undefined]);
  });

  it("keeps what ours has, if theirs has changed both so that no value of theirs would fit alone", async () => {
    const theirs = set(ruled(BASE, { maxLength: 3 }), "A", "long", "test");
    const { values, schemas, conflicts } = await mergedFiles(BASE, theirs);
    expect([values, schemas["A"]]).toEqual([KEPT, undefined]);
    expect(conflicts).not.toEqual([]);
  });

  it("leaves out a new value of theirs that breaks a schema, also of a renamed variable", async () => {
    const base = ruled(BASE, { maxLength: 6 });
    const theirs = set(rename(base, "A", "X"), "X", long);
    const { values, conflicts } = await mergedFiles(set(base, "NEW", "1"), theirs, base);
    expect(conflicts).toEqual([expect.stringMatching(/^shop\/A in shop\/dev: /)]);
    expect(values).toMatchObject({ "X@dev": "a dev", "NEW@dev": "1" });
  });

  it("takes what fits, and does not look at values that ours has broken already", async () => {
    const ours = set(strict, "A", long);
    expect((await mergedFiles(ours, set(BASE, "B", "new"))).conflicts).toEqual([]);
    expect((await mergedFiles(strict, set(BASE, "A", "fits"))).conflicts).toEqual([]);
  });
});
