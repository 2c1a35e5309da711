import { createHash, type Hash } from "node:crypto";
import type { Environment } from "../domain/environment.js";
import { NotFoundError } from "../domain/errors.js";
import { type Page, type PageRequest, paginate } from "../domain/page.js";
import type { Snapshot } from "../domain/source.js";
import type { ValueContent, Variable, VariableValue } from "../domain/variable.js";
import { checkId } from "../domain/variable.js";
import type { Data, ValueRecord, VariableRecord } from "../store/data.js";
import { byId, findById } from "../store/data.js";

/** One environment's part of one snapshot of the data. */
export class EnvironmentView implements Snapshot {
  // Both sorted by id.
  readonly #variables: readonly VariableRecord[];
  readonly #values: readonly ValueRecord[];
  #valuesByName: ReadonlyMap<string, ValueRecord> | undefined;
  #revision: string | undefined;

  constructor(data: Data, environment: Pick<Environment, "id" | "application">) {
    this.#variables = data.variables.filter(({ application }) => application === environment.application).sort(byId);
    this.#values = data.values.filter(({ environment_id }) => environment_id === environment.id).sort(byId);
  }

  /** A hash of everything that can be read here: the same on every replica and after a restart. */
  get revision(): string {
    this.#revision ??= hashOf(this.#variables, this.#values);
    return this.#revision;
  }

  async listVariables(page?: PageRequest): Promise<Page<Variable>> {
    const { metadata, data } = paginate(this.#variables, page);
    return { metadata, data: data.map(toVariable) };
  }

  async getVariable(id: number): Promise<Variable> {
    return toVariable(orNotFound(findById(this.#variables, checkId(id))));
  }

  async listValues(page?: PageRequest): Promise<Page<VariableValue>> {
    const { metadata, data } = paginate(this.#values, page);
    return { metadata, data: data.map(toValue) };
  }

  async getValue(id: number): Promise<VariableValue> {
    return toValue(orNotFound(findById(this.#values, checkId(id))));
  }

  async getValueByName(name: string): Promise<VariableValue> {
    // Built on first use: many processes only list.
    this.#valuesByName ??= new Map(
      this.#values.map((value) => [findById(this.#variables, value.variable_id)?.name ?? "", value]),
    );
    return toValue(orNotFound(this.#valuesByName.get(name)));
  }

  async getContentByName(name: string): Promise<ValueContent> {
    return (await this.getValueByName(name)).content;
  }
}

function orNotFound<T>(item: T | undefined): T {
  if (item === undefined) throw new NotFoundError();
  return item;
}

function toVariable({ id, type, name, description }: VariableRecord): Variable {
  return { id, type, name, description };
}

function toValue({ id, variable_id, content }: ValueRecord): VariableValue {
  return { id, variable_id, content };
}

/** 128 bits, in base64url. */
function hashOf(variables: readonly VariableRecord[], values: readonly ValueRecord[]): string {
  const hash = createHash("sha256");
  addAll(hash, variables, ({ id, type, name, description }) => [id, type, name, description]);
  addAll(hash, values, ({ id, variable_id, content }) => [id, variable_id, content.value]);
  return hash.digest().toString("base64url", 0, 16);
}

/** Records per call of `update`: one per call takes twice as long, and all at once the memory of the whole text. */
const CHUNK = 1_000;

function addAll<T>(hash: Hash, records: readonly T[], fieldsOf: (record: T) => unknown[]): void {
  for (let start = 0; start < records.length; start += CHUNK)
    hash.update(JSON.stringify(records.slice(start, start + CHUNK).map(fieldsOf)));
  // Marks the end of the list, even if it is empty.
  hash.update("\n");
}
