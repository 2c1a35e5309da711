import type { Data } from "../../src/store/data.js";
import type { EditableStore } from "../../src/store/store.js";
import { aRecord } from "../support/records.js";

export const KEY = "key-of-the-counters";
export const SECRET = "secret-of-the-counters";

/** The variables COUNTER_0, COUNTER_1 and so on, each 0. */
export function countersData(count: number): Data {
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  const application = "default";
  return {
    version: 1,
    environments: [{ id: 1, application, name: "test", api_key: KEY, api_secret: SECRET }],
    variables: ids.map((id) =>
      aRecord({ id, application, type: "NUMBER", name: counterName(id - 1) }),
    ),
    values: ids.map((id) => ({ id, variable_id: id, environment_id: 1, content: { value: 0 } })),
  };
}

/** The variables TEXT_1, TEXT_2 and so on, each of one letter. */
export function textsData(count: number): Data {
  const { variables, values, ...rest } = countersData(count);
  return {
    ...rest,
    variables: variables.map((each) => ({ ...each, type: "STRING", name: `TEXT_${each.id}` })),
    values: values.map((each) => ({ ...each, content: { value: "x" } })),
  };
}

export function counterName(index: number): string {
  return `COUNTER_${index}`;
}

export function countIn({ values }: Data, index: number): number {
  return values.find(({ id }) => id === index + 1)?.content.value as number;
}

/** Adds 1 to a counter, and resolves to the result. */
export async function increment(store: EditableStore, index: number): Promise<number> {
  let count = Number.NaN;
  await store.update((data) => {
    count = countIn(data, index) + 1;
    const values = data.values.map((each) =>
      each.id === index + 1 ? { ...each, content: { value: count } } : each,
    );
    return { ...data, values };
  });
  return count;
}
