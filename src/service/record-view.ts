import { type EnvironmentRecord, findEnvironment } from "../domain/environment.js";
import { NotFoundError } from "../domain/errors.js";
import { type Page, type PageRequest, paginate } from "../domain/page.js";
import { type Answer, type Read, VariableReader } from "../domain/read.js";
import type { Snapshot, VariableSource } from "../domain/source.js";
import type { Variable, VariableValue } from "../domain/variable.js";
import { binarySearch, byId, type Data, findById, type ValueRecord, type VariableRecord } from "../store/data.js";
import type { Store } from "../store/store.js";
import type { Service } from "./service.js";

/**
 * One environment's part of data, read without a copy: what is returned shares its texts with the store. For a program
 * that keeps what it has read, and reads several environments.
 */
class RecordView extends VariableReader implements Snapshot {
  readonly #revision: () => string;
  readonly #variables: readonly VariableRecord[];
  readonly #values: readonly ValueRecord[];
  readonly #byVariable: readonly ValueRecord[];

  /** @param revision that of the same data */
  constructor(data: Data, { id, application }: EnvironmentRecord, revision: () => string) {
    super();
    this.#revision = revision;
    this.#variables = data.variables.filter((each) => each.application === application).sort(byId);
    this.#values = data.values.filter((each) => each.environment_id === id).sort(byId);
    this.#byVariable = this.#values.toSorted((a, b) => a.variable_id - b.variable_id);
  }

  get revision(): string {
    return this.#revision();
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    return this.#answer(read) as Answer<R>;
  }

  #answer(read: Read): Answer<Read> {
    switch (read.kind) {
      case "variables":
        return pageOf(this.#variables, read.page, toVariable);
      case "variable":
        return toVariable(found(findById(this.#variables, read.id)));
      case "values":
        return pageOf(this.#values, read.page, toValue);
      case "value":
        return toValue(found(findById(this.#values, read.id)));
      case "valueByName":
        return toValue(this.#valueOf(read.name));
      case "content":
        return this.#valueOf(read.name).content;
    }
  }

  #valueOf(name: string): ValueRecord {
    const { id } = found(this.#variables.find((variable) => variable.name === name));
    const values = this.#byVariable;
    const position = binarySearch(values.length, id, (index) => values[index]?.variable_id ?? 0);
    return found(values[position ?? -1]);
  }
}

function pageOf<T, R>(records: readonly T[], request: PageRequest, toItem: (record: T) => R): Page<R> {
  const { metadata, data } = paginate(records, request);
  return { metadata, data: data.map(toItem) };
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw new NotFoundError();
  return record;
}

function toVariable({ id, type, name, description }: VariableRecord): Variable {
  return { id, type, name, description };
}

function toValue({ id, variable_id, content }: ValueRecord): VariableValue {
  return { id, variable_id, content };
}

/**
 * The variables of the environment with this qualified name, always from the newest valid data, without a copy of it.
 * Reading throws NotFoundError while there is no such environment.
 */
export function recordSource(
  store: Store<Data>,
  service: Service,
  name: string,
  close: () => Promise<void>,
): VariableSource {
  // Replaced data is not kept.
  const views = new WeakMap<Data, RecordView>();
  return service.sourceOf(() => {
    const data = store.snapshot;
    const known = views.get(data);
    if (known) return known;
    const environment = findEnvironment(data.environments, name);
    const view = new RecordView(data, environment, () => service.view(environment).revision);
    views.set(data, view);
    return view;
  }, close);
}
