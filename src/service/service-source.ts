import type { EnvironmentRecord } from "../domain/environment.js";
import { NotFoundError, ServerError } from "../domain/errors.js";
import { checkId } from "../domain/id.js";
import { type Page, type PageRequest, paginate } from "../domain/page.js";
import type { Health, VariableSource } from "../domain/source.js";
import type { ValueContent, Variable, VariableValue } from "../domain/variable.js";
import type { ValueRecord, VariableRecord } from "../store/data.js";
import { findById } from "../store/sorted.js";
import type { EnvironmentView } from "./environment-view.js";
import type { Service } from "./service.js";

/** One environment of a service. Each answer is made from one snapshot. */
export class ServiceSource implements VariableSource {
  readonly #service: Service;
  readonly #environment: EnvironmentRecord;

  constructor(service: Service, environment: EnvironmentRecord) {
    this.#service = service;
    this.#environment = environment;
  }

  async listVariables(page?: PageRequest): Promise<Page<Variable>> {
    const { metadata, data } = paginate(this.#view.variables, page);
    return { metadata, data: data.map(toVariable) };
  }

  async getVariable(id: number): Promise<Variable> {
    return toVariable(found(findById(this.#view.variables, checkId(id))));
  }

  async listValues(page?: PageRequest): Promise<Page<VariableValue>> {
    const { metadata, data } = paginate(this.#view.values, page);
    return { metadata, data: data.map(toValue) };
  }

  async getValue(id: number): Promise<VariableValue> {
    return toValue(found(findById(this.#view.values, checkId(id))));
  }

  async getValueByName(name: string): Promise<VariableValue> {
    return toValue(found(this.#view.valuesByName.get(name)));
  }

  async getContentByName(name: string): Promise<ValueContent> {
    return (await this.getValueByName(name)).content;
  }

  async getHealth(): Promise<Health> {
    const { healthy, health } = this.#service.checkHealth();
    if (!healthy) throw new ServerError(health.message, 503);
    return health;
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  get #view(): EnvironmentView {
    return this.#service.index.view(this.#environment);
  }
}

function found<T>(item: T | undefined): T {
  if (item === undefined) throw new NotFoundError();
  return item;
}

/** The record's fields that are in the contract. */
function toVariable({ id, type, name, description }: VariableRecord): Variable {
  return { id, type, name, description };
}

function toValue({ id, variable_id, content }: ValueRecord): VariableValue {
  return { id, variable_id, content };
}
