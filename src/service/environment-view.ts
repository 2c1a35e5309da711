import type { EnvironmentRecord } from "../domain/environment.js";
import { NotFoundError } from "../domain/errors.js";
import { type Page, type PageRequest, paginate } from "../domain/page.js";
import { type Answer, type Read, VariableReader } from "../domain/read.js";
import type { Snapshot } from "../domain/source.js";
import type { Variable, VariableValue } from "../domain/variable.js";
import { byId, type Data, type ValueRecord, type VariableRecord } from "../store/data.js";
import { revisionOf } from "../store/revision.js";

/** Records of one kind, by ascending id, and by their keys. */
class Table<T extends { readonly id: number }, K> {
  readonly #make: () => T[];
  readonly #keyOf: (record: T) => K;
  #records: readonly T[] | undefined;
  #byId: ReadonlyMap<number, T> | undefined;
  #byKey: ReadonlyMap<K, T> | undefined;

  /** @param make called when a record is first asked for, as are the Maps made @param keyOf another unique key */
  constructor(make: () => T[], keyOf: (record: T) => K) {
    this.#make = make;
    this.#keyOf = keyOf;
  }

  get records(): readonly T[] {
    this.#records ??= this.#make().sort(byId);
    return this.#records;
  }

  /** @throws NotFoundError */
  withId(id: number): T {
    this.#byId ??= new Map(this.records.map((record) => [record.id, record]));
    return found(this.#byId.get(id));
  }

  /** @throws NotFoundError */
  withKey(key: K): T {
    this.#byKey ??= new Map(this.records.map((record) => [this.#keyOf(record), record]));
    return found(this.#byKey.get(key));
  }
}

/** The ids and the name of a variable, and of its value if that was read too. */
export interface RecordIdentity {
  readonly variable_id: number;
  readonly name: string;
  readonly value_id?: number;
}

/** One environment's part of one snapshot of the data. What it returns shares its texts with the store. */
export class EnvironmentView extends VariableReader implements Snapshot {
  readonly #data: Data;
  readonly #environment: Pick<EnvironmentRecord, "id" | "application">;
  readonly #variables: Table<VariableRecord, string>;
  readonly #values: Table<ValueRecord, number>;

  constructor(data: Data, environment: Pick<EnvironmentRecord, "id" | "application">) {
    super();
    const { id, application } = environment;
    this.#data = data;
    this.#environment = environment;
    this.#variables = new Table(
      () => data.variables.filter((record) => record.application === application),
      ({ name }) => name,
    );
    this.#values = new Table(
      () => data.values.filter((record) => record.environment_id === id),
      ({ variable_id }) => variable_id,
    );
  }

  get revision(): string {
    return revisionOf(this.#data, this.#environment);
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    return this.find(read) as Answer<R>;
  }

  /** The answer to a read, now. @throws NotFoundError */
  find(read: Read): Answer<Read> {
    const [variables, values] = [this.#variables, this.#values];
    switch (read.kind) {
      case "variables":
        return pageOf(variables, read.page, toVariable);
      case "variable":
        return toVariable(variables.withId(read.id));
      case "values":
        return pageOf(values, read.page, toValue);
      case "value":
        return toValue(values.withId(read.id));
      case "valueByName":
        return toValue(values.withKey(variables.withKey(read.name).id));
      case "content":
        return values.withKey(variables.withKey(read.name).id).content;
    }
  }

  /** The records that the answer to a read tells of. @throws NotFoundError */
  identify(read: Read): RecordIdentity[] {
    const answer = this.find(read.kind === "content" ? { kind: "valueByName", name: read.name } : read);
    const records = ("data" in answer ? answer.data : [answer]) as (Variable | VariableValue)[];
    return records.map((record) => {
      if ("name" in record) return { variable_id: record.id, name: record.name };
      const { id, name } = this.#variables.withId(record.variable_id);
      return { variable_id: id, name, value_id: record.id };
    });
  }
}

function pageOf<T extends { readonly id: number }, R>(
  { records }: { readonly records: readonly T[] },
  page: PageRequest,
  toItem: (record: T) => R,
): Page<R> {
  const { metadata, data } = paginate(records, page);
  return { metadata, data: data.map(toItem) };
}

function toVariable({ application: _, ...variable }: VariableRecord): Variable {
  return variable;
}

function toValue({ environment_id: _, ...value }: ValueRecord): VariableValue {
  return value;
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw new NotFoundError();
  return record;
}
