import { describe, expect, it } from "vitest";
import { NotFoundError, UsageError } from "../../src/kit/text/errors.js";
import { EnvironmentView } from "../../src/service/environment-view.js";
import { type Data, NO_DATA, type ValueRecord, type VariableRecord } from "../../src/store/data.js";
import { aRecord, aVariable } from "../support/records.js";

/** Values of all types. */
const HARD = [
  "é 👋 \u2028",
  '"}},{"id":99,"content":{"value":"x"}}',
  '\\" \n \u0000 \u007f \ud800',
  { content: { value: [null, "é", {}] }, id: -1 },
  1e300,
  -0.5,
  true,
  null,
  "",
];

function dataOf(names: readonly string[], idOf = (index: number) => index + 1): Data {
  const variables = names.map((name, index): VariableRecord => {
    const description = index % 3 === 0 ? `"name": é ${index}` : "";
    return aRecord({ id: idOf(index), type: "JSON", name, description });
  });
  const values = names.map((_, index): ValueRecord => {
    const content = { value: HARD[index % HARD.length] ?? null };
    // In the reverse order of their variables.
    return { id: 1_000 - index, variable_id: idOf(index), environment_id: 7, content };
  });
  return { ...NO_DATA, variables, values };
}

const view = (data: Data) => new EnvironmentView(data, { id: 7, application: "shop" }, Date.now);
const names = Array.from({ length: 450 }, (_, index) => `NAME_${index}`);

describe("a view of an environment", () => {
  const data = dataOf(names);
  const shop = view(data);

  it.each(names.slice(0, HARD.length))(
    "a view has the hard value of %s, by each way to read it",
    async (name) => {
      const { id, type, description } = data.variables.find(
        (variable) => variable.name === name,
      ) as VariableRecord;
      const value = data.values.find(({ variable_id }) => variable_id === id) as ValueRecord;
      expect(await shop.getContentByName(name)).toStrictEqual(value.content);
      expect(await shop.getValueByName(name)).toStrictEqual({
        id: value.id,
        variable_id: id,
        content: value.content,
      });
      expect(await shop.getValue(value.id)).toStrictEqual({
        id: value.id,
        variable_id: id,
        content: value.content,
      });
      expect(await shop.getVariable(id)).toStrictEqual(aVariable({ id, type, name, description }));
    },
  );

  it("a view finds every name, and only those", async () => {
    for (const { id, name } of data.variables)
      expect(await shop.getValueByName(name)).toMatchObject({ variable_id: id });
    const others = [
      "",
      "NAME_",
      "NAME_4500",
      "name_1",
      "__proto__",
      ...names.map((name) => `${name}","description`),
    ];
    for (const name of others)
      await expect(shop.getValueByName(name)).rejects.toThrow(NotFoundError);
  });

  it.each([
    [undefined, 0, 50],
    [{ limit: 1, offset: 449 }, 449, 450],
    [{ limit: 1_000 }, 0, 450],
    [{ limit: 3, offset: 448 }, 448, 450],
    [{ offset: 450 }, 450, 450],
    [{ offset: Number.MAX_SAFE_INTEGER }, 450, 450],
  ])("a view has the page %j", async (page, first, end) => {
    const { data: variables, metadata } = await shop.listVariables(page);
    expect(metadata).toStrictEqual({ limit: 50, offset: 0, ...page, total: 450 });
    expect(variables.map(({ name }) => name)).toStrictEqual(names.slice(first, end));
    const { data: values } = await shop.listValues(page);
    const ids = data.values.map(({ id }) => id).sort((a, b) => a - b);
    expect(values.map(({ id }) => id)).toStrictEqual(ids.slice(first, end));
  });

  it("a view refuses an invalid id or page", async () => {
    for (const id of [0, -1, 1.5, Number.NaN]) {
      await expect(shop.getVariable(id)).rejects.toThrow(UsageError);
      await expect(shop.getValue(id)).rejects.toThrow(UsageError);
    }
    await expect(shop.listVariables({ limit: 0 })).rejects.toThrow(UsageError);
    await expect(shop.listValues({ offset: -1 })).rejects.toThrow(UsageError);
  });

  it("ids that are not in order, and larger than 32 bits, are found", async () => {
    const large = (index: number) =>
      index % 2 === 0 ? Number.MAX_SAFE_INTEGER - index : index + 1;
    const shuffled = view(dataOf(names, large));
    for (const [index, name] of names.entries())
      expect(await shuffled.getValueByName(name)).toMatchObject({
        variable_id: large(index),
        id: 1_000 - index,
      });
    expect((await shuffled.listVariables()).data.map(({ id }) => id)).toStrictEqual(
      Array.from({ length: 50 }, (_, index) => 2 * index + 2),
    );
  });

  it("a variable without a value, and an environment without data, are not found", async () => {
    const fewer = { ...data, values: data.values.slice(1) };
    await expect(view(fewer).getContentByName("NAME_0")).rejects.toThrow(NotFoundError);
    const empty = new EnvironmentView(fewer, { id: 8, application: "billing" }, Date.now);
    expect(await empty.listValues()).toStrictEqual({
      metadata: { limit: 50, offset: 0, total: 0 },
      data: [],
    });
    await expect(empty.getContentByName("NAME_1")).rejects.toThrow(NotFoundError);
  });

  it("the revision is the same for the same data in another order, and another for any change", () => {
    const reversed = {
      ...data,
      variables: data.variables.toReversed(),
      values: data.values.toReversed(),
    };
    expect(view(reversed).revision).toBe(shop.revision);
    const changes = [
      { ...data, values: data.values.slice(1) },
      {
        ...data,
        variables: data.variables.map((item, index) =>
          index === 9 ? { ...item, description: "x" } : item,
        ),
      },
      {
        ...data,
        values: data.values.map((item, index) =>
          index === 9 ? { ...item, content: { value: 0 } } : item,
        ),
      },
    ];
    for (const changed of changes) expect(view(changed).revision).not.toBe(shop.revision);
  });
});
