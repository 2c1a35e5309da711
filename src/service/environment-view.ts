import type { Scope } from "../domain/environment.js";
import { NotFoundError } from "../domain/errors.js";
import { type Page, type PageRequest, paginate } from "../domain/page.js";
import { type Answer, type Check, type Read, VariableReader } from "../domain/read.js";
import type { Health, Snapshot, VariableSource } from "../domain/source.js";
import type { Complete, ValueRules, Variable, VariableValue } from "../domain/variable.js";
import { byId, type Data, recordsOf, revisionOf, type ValueRecord, type VariableRecord } from "../store/data.js";

/** Finds a record by one of the fields that identify it. */
type Find<T> = <Field extends keyof T>(field: Field, value: T[Field]) => T | undefined;

/** With a map for each field, which is made when it is first used. */
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
function found<T>(record: T | undefined): T {
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
 * What one scope has of one snapshot of the data, and a source for a command that reads it once. Its answers share
 * their texts with the store.
 */
export class EnvironmentView extends VariableReader implements Snapshot, VariableSource {
  readonly #data: Data;
  readonly #scope: Scope;
  /** By ascending id. */
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

  /** That of data that could be read. */
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
    const { findProblems } = await import("../store/value-schema.js");
    this.#check = await findProblems(this.#variables, this.#values);
  }

  override rulesOf(variable: number | string): ValueRules | undefined {
    const record = found(this.#findVariable(typeof variable === "number" ? "id" : "name", variable));
    // Most variables say nothing, and a rest takes time.
    if (!RULES.some((rule) => rule in record)) return undefined;
    const { id: _, application, type, name, description, ...rules } = record;
    return rules;
  }

  /** The answer to a read, now. @throws NotFoundError */
  find(read: Read): Answer<Read> {
    switch (read.kind) {
      case "variables":
        return pageOf(this.#variables, read.page, toVariable);
      case "variable":
        return toVariable(found(this.#findVariable("id", read.id)));
      case "values":
        return pageOf(this.#values, read.page, toValue);
      case "value":
        return toValue(found(this.#findValue("id", read.id)));
      case "valueByName":
        return toValue(this.#valueOf(read.name));
      case "content":
        return this.#valueOf(read.name).content;
      case "valuesByName":
        return { data: Object.fromEntries(this.#named(read.names, ({ name }, value) => [name, value.content.value])) };
      case "check":
        return this.#check;
    }
  }

  /** What `toItem` makes of the variables that have a value, by ascending id. @param names those with these names */
  #named<T>(names: readonly string[] | undefined, toItem: (variable: VariableRecord, value: ValueRecord) => T): T[] {
    const wanted = names && [...new Set(names)].flatMap((name) => this.#findVariable("name", name) ?? []).sort(byId);
    const items: T[] = [];
    for (const variable of wanted ?? this.#variables) {
      const value = this.#findValue("variable_id", variable.id);
      if (value) items.push(toItem(variable, value));
    }
    return items;
  }

  #valueOf(name: string): ValueRecord {
    return found(this.#findValue("variable_id", found(this.#findVariable("name", name)).id));
  }

  /** The same read without names that have no value here: they change nothing in its answer. */
  withoutUnknown(read: Read): Read {
    if (read.kind !== "valuesByName" || !read.names) return read;
    return { ...read, names: this.#named(read.names, ({ name }) => name) };
  }

  /** The records that the answer to a read tells of. @throws NotFoundError */
  identify(read: Read): RecordIdentity[] {
    const variable = ({ id, name }: VariableRecord) => ({ variable_id: id, name });
    const value = ({ id, variable_id }: ValueRecord) => ({
      ...variable(found(this.#findVariable("id", variable_id))),
      value_id: id,
    });
    switch (read.kind) {
      case "variables":
        return pageOf(this.#variables, read.page, variable).data;
      case "variable":
        return [variable(found(this.#findVariable("id", read.id)))];
      case "values":
        return pageOf(this.#values, read.page, value).data;
      case "value":
        return [value(found(this.#findValue("id", read.id)))];
      case "valueByName":
      case "content":
        return [value(this.#valueOf(read.name))];
      case "valuesByName":
        return this.#named(read.names, (_, each) => value(each));
      case "check":
        return [...this.#check.missing, ...this.#check.invalid.map(({ name }) => name)].map((name) =>
          variable(found(this.#findVariable("name", name))),
        );
    }
  }
}

function pageOf<T, R>(records: readonly T[], page: PageRequest, toItem: (record: T) => R): Page<R> {
  const { metadata, data } = paginate(records, page);
  return { metadata, data: data.map(toItem) };
}

const RULES = Object.keys({ optional: 1, secret: 1, schema: 1 } satisfies Record<keyof ValueRules, 1>);

function toVariable({ id, type, name, description }: VariableRecord): Complete<Variable> {
  return { id, type, name, description };
}

function toValue({ id, variable_id, content }: ValueRecord): Complete<VariableValue> {
  return { id, variable_id, content };
}
