import { hash } from "node:crypto";
import { NotFoundError } from "../domain/errors.js";
import { type Page, type PageRequest, paginate } from "../domain/page.js";
import type { Snapshot } from "../domain/source.js";
import {
  checkId,
  isVariableName,
  VARIABLE_TYPES,
  type ValueContent,
  type Variable,
  type VariableValue,
} from "../domain/variable.js";
import { binarySearch } from "../store/data.js";
import { findName } from "../store/name-index.js";
import type { PackedList, PackedValues, PackedVariables } from "../store/packed-data.js";

const QUOTE = 0x22;

/** What can be read of an environment. */
export interface JsonReads {
  /** @throws UsageError */
  variablesJson(page?: PageRequest): string;
  /** @throws NotFoundError; UsageError if it is not an id */
  variableJson(id: number): string;
  /** @throws UsageError */
  valuesJson(page?: PageRequest): string;
  /** @throws NotFoundError; UsageError if it is not an id */
  valueJson(id: number): string;
  /** @throws NotFoundError */
  valueByNameJson(name: string): string;
  /** @throws NotFoundError */
  contentByNameJson(name: string): string;
}

/** One environment's part of one snapshot of the data: as JSON for the server, and as objects for local commands. */
export class EnvironmentView implements Snapshot, JsonReads {
  #revision: string | undefined;
  readonly #variables: PackedVariables;
  readonly #values: PackedValues;

  constructor(variables: PackedVariables, values: PackedValues) {
    this.#variables = variables;
    this.#values = values;
  }

  /** A hash of everything that can be read here: the same on every replica and after a restart. */
  get revision(): string {
    // 128 bits.
    this.#revision ??= hash("sha256", `${this.#variables.hash} ${this.#values.hash}`, "base64url").slice(0, 22);
    return this.#revision;
  }

  variablesJson(page?: PageRequest): string {
    return pageJson(this.#variables, page, (position) => this.#variableAt(position));
  }

  variableJson(id: number): string {
    return this.#variableAt(findId(this.#variables, id));
  }

  valuesJson(page?: PageRequest): string {
    return pageJson(this.#values, page, (position) => this.#valueAt(position));
  }

  valueJson(id: number): string {
    return this.#valueAt(findId(this.#values, id));
  }

  valueByNameJson(name: string): string {
    return this.#valueAt(findValue(this.#variables, this.#values, name));
  }

  contentByNameJson(name: string): string {
    return textAt(this.#values, findValue(this.#variables, this.#values, name));
  }

  /** The same reads with what they tell of: lists of ids and names, without types, descriptions and values. */
  get identities(): JsonReads {
    const [variables, values] = [this.#variables, this.#values];
    const variable = (position: number) => variableIdentity(variables, position);
    const value = (position: number) => valueIdentity(variables, values, position);
    const valueByName = (name: string) => `[${value(findValue(variables, values, name))}]`;
    return {
      variablesJson: (page) => `[${mapPage(variables, page, variable).records}]`,
      variableJson: (id) => `[${variable(findId(variables, id))}]`,
      valuesJson: (page) => `[${mapPage(values, page, value).records}]`,
      valueJson: (id) => `[${value(findId(values, id))}]`,
      valueByNameJson: valueByName,
      contentByNameJson: valueByName,
    };
  }

  async listVariables(page?: PageRequest): Promise<Page<Variable>> {
    return JSON.parse(this.variablesJson(page));
  }

  async getVariable(id: number): Promise<Variable> {
    return JSON.parse(this.variableJson(id));
  }

  async listValues(page?: PageRequest): Promise<Page<VariableValue>> {
    return JSON.parse(this.valuesJson(page));
  }

  async getValue(id: number): Promise<VariableValue> {
    return JSON.parse(this.valueJson(id));
  }

  async getValueByName(name: string): Promise<VariableValue> {
    return JSON.parse(this.valueByNameJson(name));
  }

  async getContentByName(name: string): Promise<ValueContent> {
    return JSON.parse(this.contentByNameJson(name));
  }

  #variableAt(position: number): string {
    const { ids, types } = this.#variables;
    const type = VARIABLE_TYPES[at(types, position)];
    return `{"id":${at(ids, position)},"type":"${type}","name":${textAt(this.#variables, position)}`;
  }

  #valueAt(position: number): string {
    const { ids, variableIds } = this.#values;
    const head = `{"id":${at(ids, position)},"variable_id":${at(variableIds, position)}`;
    return `${head},"content":${textAt(this.#values, position)}}`;
  }
}

/** The position of a value. @throws NotFoundError */
function findValue({ ids, names, json, starts }: PackedVariables, values: PackedValues, name: string): number {
  const isNamed = (position: number) => isNameAt(json, at(starts, position), name);
  // Other text, with a quote in it, could match more of the JSON than a name.
  const variable = isVariableName(name) ? findName(names, name, isNamed) : undefined;
  if (variable === undefined) throw new NotFoundError();
  const { byVariable, variableIds } = values;
  const rank = search(byVariable.length, at(ids, variable), (index) => at(variableIds, at(byVariable, index)));
  return at(byVariable, rank);
}

/** Whether JSON has a name there, in quotes. Names need no escapes. */
function isNameAt(json: Uint8Array, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (json[start + 1 + index] !== name.charCodeAt(index)) return false;
  }
  return json[start + 1 + name.length] === QUOTE;
}

function pageJson(list: PackedList, request: PageRequest | undefined, recordAt: (position: number) => string): string {
  const { metadata, records } = mapPage(list, request, recordAt);
  return `{"metadata":${JSON.stringify(metadata)},"data":[${records}]}`;
}

function mapPage({ ids }: PackedList, request: PageRequest | undefined, recordAt: (position: number) => string) {
  const { metadata, data } = paginate(ids, request);
  return { metadata, records: data.map((_, index) => recordAt(metadata.offset + index)).join(",") };
}

function variableIdentity(variables: PackedVariables, position: number): string {
  return `{"variable_id":${at(variables.ids, position)},"name":${nameAt(variables, position)}}`;
}

function valueIdentity(variables: PackedVariables, values: PackedValues, position: number): string {
  const identity = variableIdentity(variables, findId(variables, at(values.variableIds, position)));
  return `${identity.slice(0, -1)},"value_id":${at(values.ids, position)}}`;
}

/** A variable's name, in quotes. */
function nameAt({ json, starts }: PackedVariables, position: number): string {
  const start = at(starts, position);
  return Buffer.from(json.buffer, json.byteOffset + start, json.indexOf(QUOTE, start + 1) + 1 - start).toString();
}

function textAt({ json, starts }: PackedList, position: number): string {
  const start = at(starts, position);
  return Buffer.from(json.buffer, json.byteOffset + start, at(starts, position + 1) - start).toString();
}

/** @returns a position @throws NotFoundError; UsageError if it is not an id */
function findId({ ids }: PackedList, id: number): number {
  return search(ids.length, checkId(id), (position) => at(ids, position));
}

/** The position of a number among sorted ones. @throws NotFoundError */
function search(length: number, number: number, numberAt: (position: number) => number): number {
  const position = binarySearch(length, number, numberAt);
  if (position === undefined) throw new NotFoundError();
  return position;
}

/** An item that is there. */
function at(items: Float64Array | Uint32Array | Uint8Array, position: number): number {
  return items[position] as number;
}
