import type { JsonValue } from "../../src/kit/text/strict-json.js";
import type { Data } from "../../src/store/data.js";
import { type Assignment, setValues, unsetValues } from "../../src/store/edits/edit-values.js";
import type { Store } from "../../src/store/store.js";

/** Of shop/development in test/support/data.ts. */
export const DEVELOPMENT_ID = 1;

/** Its values by name. */
export function contents({ data }: Pick<Store, "data">): Record<string, JsonValue> {
  const names = new Map(data.variables.map(({ id, name }) => [id, name]));
  const own = data.values.filter(({ environment_id }) => environment_id === DEVELOPMENT_ID);
  return Object.fromEntries(
    own.map(({ variable_id, content }) => [names.get(variable_id), content.value]),
  );
}

/** Sets texts and numbers. */
export function set(data: Data, values: Record<string, string | number>): Data {
  const assignments = Object.entries(values).map(
    ([name, value]): Assignment =>
      typeof value === "string" ? { name, value, type: "STRING" } : { name, value, type: "NUMBER" },
  );
  return setValues(data, development(data), assignments);
}

/** Sets one of any JSON. */
export function setJson(data: Data, name: string, value: JsonValue): Data {
  return setValues(data, development(data), [{ name, value, type: "JSON" }]);
}

export function unset(data: Data, ...names: string[]): Data {
  return unsetValues(data, [development(data)], names);
}

/** Adds 1 to `PORT`. */
export function increment(data: Data): Data {
  return set(data, { PORT: Number(contents({ data })["PORT"]) + 1 });
}

function development({ environments }: Data) {
  const found = environments.find(({ id }) => id === DEVELOPMENT_ID);
  if (!found) throw new Error("the environment is gone");
  return found;
}
