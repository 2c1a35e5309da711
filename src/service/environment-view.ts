import { NotFoundError } from "../kit/text/errors.js";
import type { Scope } from "../model/environment.js";
import { paginate } from "../model/page.js";
import { type Answer, type Check, type Read, VariableReader } from "../model/read.js";
import type { Health, Snapshot, VariableSource } from "../model/source.js";
import type { Complete, ValueRules, Variable, VariableValue } from "../model/variable.js";
import {
  byId,
  type Data,
  recordsOf,
  revisionOf,
  type ValueRecord,
  type VariableRecord,
} from "../store/data.js";

/** Finds a record by one of the fields that identify it. */
type Find<T> = <Field extends keyof T>(field: Field, value: T[Field]) => T | undefined;

/** Makes a map for each field when it is first used. */
function createFind<T>(records: readonly T[]): Find<T> {
  const maps = new Map<keyof T, Map<unknown, T>>();
  return (field, value) => {
    let map = maps.get(field);
    if (map === undefined) {
      map = new Map();
      for (const record of records) map.set(record[field], record);
      maps.set(field, map);
    }
    return map.get(value);
  };
}

/** @throws NotFoundError */
function required<T>(record: T | undefined): T {
  if (record === undefined) throw new NotFoundError();
  return record;
}

/** The ids and the name of a variable, and of its value if that was read too. */
export interface RecordIdentity {
  readonly variable_id: number;
  readonly name: string;
  readonly value_id?: number;
}

/**
 * The part of one snapshot of the data that a scope can read, and a source for a command that reads
 * it once. Its answers share their texts with the store.
 */
export class EnvironmentView extends VariableReader implements Snapshot, VariableSource {
  readonly #data: Data;
  readonly #scope: Scope;
  /** The variables by ascending id. */
  readonly #variables: readonly VariableRecord[];
  readonly #values: readonly ValueRecord[];
  readonly #findVariable: Find<VariableRecord>;
  readonly #findValue: Find<ValueRecord>;
  #revision: string | undefined;
  #checking: Promise<void> | undefined;
  #check: Check = { missing: [], invalid: [] };

  constructor(data: Data, scope: Scope) {
    super();
    this.#data = data;
    this.#scope = scope;
    const { variables, values } = recordsOf(data, scope);
    this.#variables = variables;
    this.#values = values;
    this.#findVariable = createFind(variables);
    this.#findValue = createFind(values);
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
    return { uptime: 0, message: "OK", date: new Date().toISOString() };
  }

  async close(): Promise<void> {}

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    if (read.kind === "check") await this.prepareCheck();
    return this.find(read) as Answer<R>;
  }

  /** Checks the values, once, for `find` to answer with the result. */
  prepareCheck(): Promise<void> {
    this.#checking ??= this.#findProblems();
    return this.#checking;
  }

  async #findProblems(): Promise<void> {
    const { findProblems } = await import("../store/schema/value-schema.js");
    this.#check = await findProblems(this.#variables, this.#values);
  }

  override rulesOf(variable: number | string): ValueRules | undefined {
    const record = required(
      this.#findVariable(typeof variable === "number" ? "id" : "name", variable),
    );
    const { id: _, application, type, name, description, ...rules } = record;
    return Object.keys(rules).length > 0 ? rules : undefined;
  }

  /** The answer to a read, now. @throws NotFoundError */
  find(read: Read): Answer<Read> {
    return this.#read(read)[0];
  }

  /** The records that the answer to a read contains. @throws NotFoundError */
  identify(read: Read): RecordIdentity[] {
    return this.#read(read)[1].map((record) => {
      if ("name" in record) return { variable_id: record.id, name: record.name };
      return { variable_id: record.variable_id, name: this.#nameOf(record), value_id: record.id };
    });
  }

  #read(read: Read): [Answer<Read>, readonly (VariableRecord | ValueRecord)[]] {
    switch (read.kind) {
      case "variables": {
        const { metadata, data } = paginate(this.#variables, read.page);
        return [{ metadata, data: data.map(toVariable) }, data];
      }
      case "variable": {
        const variable = required(this.#findVariable("id", read.id));
        return [toVariable(variable), [variable]];
      }
      case "values": {
        const { metadata, data } = paginate(this.#values, read.page);
        return [{ metadata, data: data.map(toValue) }, data];
      }
      case "value": {
        const value = required(this.#findValue("id", read.id));
        return [toValue(value), [value]];
      }
      case "valueByName":
      case "content": {
        const { id } = required(this.#findVariable("name", read.name));
        const value = required(this.#findValue("variable_id", id));
        return [read.kind === "content" ? value.content : toValue(value), [value]];
      }
      case "valuesByName": {
        const values = this.#named(read.names);
        return [
          {
            data: Object.fromEntries(
              values.map((value) => [this.#nameOf(value), value.content.value]),
            ),
          },
          values,
        ];
      }
      case "check": {
        const { missing, invalid } = this.#check;
        const names = [...missing, ...invalid.map(({ name }) => name)];
        return [this.#check, names.map((name) => required(this.#findVariable("name", name)))];
      }
    }
  }

  /** The values of the variables with these names, or of all, by ascending id of the variable. */
  #named(names: readonly string[] | undefined): ValueRecord[] {
    const wanted =
      names &&
      [...new Set(names)].flatMap((name) => this.#findVariable("name", name) ?? []).sort(byId);
    return (wanted ?? this.#variables).flatMap(
      ({ id }) => this.#findValue("variable_id", id) ?? [],
    );
  }

  #nameOf({ variable_id }: ValueRecord): string {
    return required(this.#findVariable("id", variable_id)).name;
  }

  /** Removes names that have no value here from a read. They don't change its answer. */
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
