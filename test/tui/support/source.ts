import type { Snapshot, VariableSource } from "../../../src/domain/source.js";
import type { JsonValue } from "../../../src/domain/variable.js";
import { Service } from "../../../src/service/service.js";
import { createMemoryStore } from "../../../src/store/memory-store.js";
import { aRecord } from "../../support/records.js";

/** A source with these values by name; undefined for a variable without a value. */
export function localSource(values: Record<string, JsonValue | undefined>): VariableSource {
  const environment = { id: 1, application: "default", name: "test", api_key: "key", api_secret: "secret" };
  const other = { id: 2, application: "default", name: "other", api_key: "other", api_secret: "other" };
  const named = Object.entries(values).map(([name, value], index) => ({ id: index + 1, name, value }));
  const service = new Service(
    createMemoryStore({
      version: 1,
      environments: [environment, other],
      // A variable of this type can hold anything.
      variables: named.map(({ id, name }) => aRecord({ id, application: "default", type: "JSON", name })),
      values: named.flatMap(({ id, value = null }) => {
        const record = { id: 2 * id, variable_id: id, environment_id: 1, content: { value } };
        const elsewhere = { ...record, id: 2 * id + 1, environment_id: 2, content: { value: "elsewhere" } };
        return value === null ? [elsewhere] : [record, elsewhere];
      }),
    }),
    () => 0,
  );
  return service.source(environment);
}

/** The source with these methods replaced, in snapshots too. */
export function withMethods(source: VariableSource, methods: Partial<VariableSource>): VariableSource {
  return withOwn(source, {
    readSnapshot: <T>(read: (snapshot: Snapshot) => Promise<T>) =>
      source.readSnapshot((snapshot) => read(withOwn(snapshot, methods))),
    ...methods,
  });
}

function withOwn<T extends object>(target: T, methods: object): T {
  return new Proxy(target, {
    get: (_, name) => {
      const own = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** This many values by name. */
export function bigData(count: number): Record<string, JsonValue> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`NAME_${index}`, index]));
}
