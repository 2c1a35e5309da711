import { hash } from "node:crypto";
import { NotFoundError } from "../domain/errors.js";
import { type PageRequest, paginate } from "../domain/page.js";
import { type Answer, type Read, VariableReader } from "../domain/read.js";
import type { Snapshot } from "../domain/source.js";
import { checkId, isVariableName, VARIABLE_TYPES } from "../domain/variable.js";
import { binarySearch } from "../store/data.js";
import { findName } from "../store/name-index.js";
import type { PackedList, PackedValues, PackedVariables } from "../store/packed-data.js";

const QUOTE = 0x22;

/** One environment's part of one snapshot of the data: as JSON for the server, and as objects for local commands. */
export class EnvironmentView extends VariableReader implements Snapshot {
  #revision: string | undefined;
  readonly #variables: PackedVariables;
  readonly #values: PackedValues;

  constructor(variables: PackedVariables, values: PackedValues) {
    super();
    this.#variables = variables;
    this.#values = values;
  }

  /** A hash of everything that can be read here: the same on every replica and after a restart. */
  get revision(): string {
    // 128 bits.
    this.#revision ??= hash("sha256", `${this.#variables.hash} ${this.#values.hash}`, "base64url").slice(0, 22);
    return this.#revision;
  }

  /** The answer to a read as JSON. @throws NotFoundError */
  json(read: Read): string {
    const [variables, values] = [this.#variables, this.#values];
    switch (read.kind) {
      case "variables":
        return pageJson(variables, read.page, (position) => this.#variableAt(position));
      case "variable":
        return this.#variableAt(findId(variables, read.id));
      case "values":
        return pageJson(values, read.page, (position) => this.#valueAt(position));
      case "value":
        return this.#valueAt(findId(values, read.id));
      case "valueByName":
        return this.#valueAt(findValue(variables, values, read.name));
      case "content":
        return textAt(values, findValue(variables, values, read.name));
    }
  }

  /** The ids and names that the answer to a read tells of, as JSON. @throws NotFoundError */
  identities(read: Read): string {
    const [variables, values] = [this.#variables, this.#values];
    const variable = (position: number) => variableIdentity(variables, position);
    const value = (position: number) => valueIdentity(variables, values, position);
    if ("page" in read)
      return `[${(read.kind === "values" ? mapPage(values, read.page, value) : mapPage(variables, read.page, variable)).records}]`;
    if (read.kind === "variable") return `[${variable(findId(variables, read.id))}]`;
    const position = "id" in read ? findId(values, read.id) : findValue(variables, values, read.name);
    return `[${value(position)}]`;
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    return JSON.parse(this.json(read));
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
