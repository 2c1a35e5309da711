import { NotFoundError } from "../kit/text/errors.js";
import type { RecordIdentity } from "../model/audit-line.js";
import type { Scope } from "../model/environment.js";
import type { Health } from "../model/reads/health.js";
import { paginate } from "../model/reads/page.js";
import {
  type Answer,
  type Check,
  type Read,
  type Snapshot,
  VariableReader,
  type VariableSource,
} from "../model/reads/read.js";
import type { Complete, ValueRules, Variable, VariableValue } from "../model/variable.js";
import {
  byId,
  type Data,
  recordsOf,
  revisionOf,
  type ValueRecord,
  type VariableRecord,
} from "../store/data.js";

interface IndexedRecords<T> {
  /** All records, by ascending id. */
  readonly all: readonly T[];
  /**
   * The records by a field that identifies them. A map is made when it is first
   * used.
   */
  readonly maps: Map<keyof T, ReadonlyMap<unknown, T>>;
}

function mapBy<T>({ all, maps }: IndexedRecords<T>, field: keyof T): ReadonlyMap<unknown, T> {
  const existing = maps.get(field);
  if (existing) return existing;
  const map = new Map<unknown, T>();
  for (const record of all) map.set(record[field], record);
  maps.set(field, map);
  return map;
}

/** @throws NotFoundError */
function find<T, Field extends keyof T>(
  records: IndexedRecords<T>,
  field: Field,
  value: T[Field],
): T {
  const record = mapBy(records, field).get(value);
  if (record === undefined) throw new NotFoundError();
  return record;
}

/**
 * The part of one version of the data that a scope can read, and a source for
 * commands that read it once. Its answers share their strings with the store.
 */
export class EnvironmentView extends VariableReader implements Snapshot, VariableSource {
  readonly #data: Data;
  readonly #scope: Scope;
  readonly #variables: IndexedRecords<VariableRecord>;
  readonly #values: IndexedRecords<ValueRecord>;
  readonly #clock: () => number;
  #revision: string | undefined;
  #checking: Promise<void> | undefined;
  #check: Check = { missing: [], invalid: [] };

  /** @param clock Unix time in milliseconds */
  constructor(data: Data, scope: Scope, clock: () => number) {
    super();
    this.#data = data;
    this.#scope = scope;
    this.#clock = clock;
    const { variables, values } = recordsOf(data, scope);
    this.#variables = { all: variables, maps: new Map() };
    this.#values = { all: values, maps: new Map() };
  }

  get revision(): string {
    this.#revision ??= revisionOf(this.#data, this.#scope);
    return this.#revision;
  }

  readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return read(this);
  }

  /** Always healthy: the data could be read. */
  async getHealth(): Promise<Health> {
    return { uptime: 0, message: "OK", date: new Date(this.#clock()).toISOString() };
  }

  async close(): Promise<void> {}

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    if (read.kind === "check") await this.prepareCheck();
    return this.#read(read)[0] as Answer<R>;
  }

  /** Checks the values, once, for `find`. */
  prepareCheck(): Promise<void> {
    this.#checking ??= import("../store/schema/value-schema.js").then(async ({ findProblems }) => {
      this.#check = await findProblems(this.#variables.all, this.#values.all);
    });
    return this.#checking;
  }

  override rulesOf(variable: number | string): ValueRules | undefined {
    const field = typeof variable === "number" ? "id" : "name";
    const record = find(this.#variables, field, variable);
    const { id: _, application, type, name, description, ...rules } = record;
    return Object.keys(rules).length > 0 ? rules : undefined;
  }

  /** Answers a read at once; a check after `prepareCheck`. @throws NotFoundError */
  find(read: Read): Answer<Read> {
    return this.#read(read)[0];
  }

  /** Names the records in the answer to a read. @throws NotFoundError */
  identify(read: Read): RecordIdentity[] {
    return this.#read(read)[1].map((record) => {
      if ("name" in record) return { variable_id: record.id, name: record.name };
      return { variable_id: record.variable_id, name: this.#nameOf(record), value_id: record.id };
    });
  }

  #read(read: Read): [Answer<Read>, readonly (VariableRecord | ValueRecord)[]] {
    switch (read.kind) {
      case "variables": {
        const { metadata, data } = paginate(this.#variables.all, read.page);
        return [{ metadata, data: data.map(toVariable) }, data];
      }
      case "variable": {
        const variable = find(this.#variables, "id", read.id);
        return [toVariable(variable), [variable]];
      }
      case "values": {
        const { metadata, data } = paginate(this.#values.all, read.page);
        return [{ metadata, data: data.map(toValue) }, data];
      }
      case "value": {
        const value = find(this.#values, "id", read.id);
        return [toValue(value), [value]];
      }
      case "valueByName":
      case "content": {
        const { id } = find(this.#variables, "name", read.name);
        const value = find(this.#values, "variable_id", id);
        return [read.kind === "content" ? value.content : toValue(value), [value]];
      }
      case "valuesByName": {
        const records = this.#named(read.names);
        const values = records.map((record) => [this.#nameOf(record), record.content.value]);
        return [{ data: Object.fromEntries(values) }, records];
      }
      case "check": {
        const { missing, invalid } = this.#check;
        const names = [...missing, ...invalid.map(({ name }) => name)];
        return [this.#check, names.map((name) => find(this.#variables, "name", name))];
      }
    }
  }

  /**
   * Returns the values with these names, or all, by ascending id of the
   * variable.
   */
  #named(names: readonly string[] | undefined): ValueRecord[] {
    let variables = this.#variables.all;
    if (names) {
      const byName = mapBy(this.#variables, "name");
      variables = [...new Set(names)].flatMap((name) => byName.get(name) ?? []).sort(byId);
    }
    const byVariableId = mapBy(this.#values, "variable_id");
    return variables.flatMap(({ id }) => byVariableId.get(id) ?? []);
  }

  #nameOf({ variable_id }: ValueRecord): string {
    return find(this.#variables, "id", variable_id).name;
  }

  /** Removes names without a value from a read, whose answer stays the same. */
  withoutUnknown(read: Read): Read {
    if (read.kind !== "valuesByName" || !read.names) return read;
    return { ...read, names: this.#named(read.names).map((record) => this.#nameOf(record)) };
  }
}

function toVariable({ id, type, name, description }: VariableRecord): Complete<Variable> {
  return { id, type, name, description };
}

function toValue({ id, variable_id, content }: ValueRecord): Complete<VariableValue> {
  return { id, variable_id, content };
}
