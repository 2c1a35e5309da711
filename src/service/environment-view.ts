import { hash } from "node:crypto";
import { NotFoundError } from "../domain/errors.js";
import { type Page, type PageRequest, pageBounds } from "../domain/page.js";
import type { Snapshot } from "../domain/source.js";
import { checkId, type ValueContent, type Variable, type VariableValue } from "../domain/variable.js";
import { findName } from "../store/name-index.js";
import type { PackedList, PackedValues, PackedVariables } from "../store/packed-data.js";

const QUOTE = 0x22;

/** One environment's part of one snapshot of the data: as JSON for the server, and as objects for local commands. */
export class EnvironmentView implements Snapshot {
  /** A hash of everything that can be read here: the same on every replica and after a restart. */
  readonly revision: string;
  readonly #variables: PackedVariables;
  readonly #values: PackedValues;

  constructor(variables: PackedVariables, values: PackedValues) {
    this.#variables = variables;
    this.#values = values;
    // 128 bits.
    this.revision = hash("sha256", `${variables.hash} ${values.hash}`, "base64url").slice(0, 22);
  }

  /** @throws UsageError */
  variablesJson(page?: PageRequest): string {
    return pageJson(this.#variables, page);
  }

  /** @throws NotFoundError; UsageError if it is not an id */
  variableJson(id: number): string {
    return recordJson(this.#variables, find(this.#variables.ids, checkId(id)));
  }

  /** @throws UsageError */
  valuesJson(page?: PageRequest): string {
    return pageJson(this.#values, page);
  }

  /** @throws NotFoundError; UsageError if it is not an id */
  valueJson(id: number): string {
    return recordJson(this.#values, find(this.#values.ids, checkId(id)));
  }

  /** @throws NotFoundError */
  valueByNameJson(name: string): string {
    return recordJson(this.#values, this.#findValue(name));
  }

  /** @throws NotFoundError */
  contentByNameJson(name: string): string {
    const position = this.#findValue(name);
    const { json, parts, starts } = this.#values;
    // Without the brace that ends the record, and the comma after it.
    return decode(json, at(parts, position), at(starts, position + 1) - 2);
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

  /** The position of a value in its list. @throws NotFoundError */
  #findValue(name: string): number {
    const { ids, names, json, parts } = this.#variables;
    const variable = findName(names, name, (position) => isNameAt(json, at(parts, position), name));
    if (variable === undefined) throw new NotFoundError();
    return at(this.#values.valuesOf, find(this.#values.variableIds, at(ids, variable)));
  }
}

/** Whether JSON has a name there. Names need no escapes. */
function isNameAt(json: Uint8Array, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (json[start + 1 + index] !== name.charCodeAt(index)) return false;
  }
  return json[start + 1 + name.length] === QUOTE;
}

function pageJson({ ids, json, starts }: PackedList, request: PageRequest = {}): string {
  const { limit, offset } = pageBounds(request);
  const total = ids.length;
  const [first, end] = [Math.min(offset, total), Math.min(offset + limit, total)];
  // Without the last comma.
  const data = first === end ? "" : decode(json, at(starts, first), at(starts, end) - 1);
  return `{"metadata":${JSON.stringify({ limit, offset, total })},"data":[${data}]}`;
}

function recordJson({ json, starts }: PackedList, position: number): string {
  return decode(json, at(starts, position), at(starts, position + 1) - 1);
}

function decode(json: Uint8Array, start: number, end: number): string {
  return Buffer.from(json.buffer, json.byteOffset + start, end - start).toString();
}

/** Binary search. @returns the position of an id in a sorted list @throws NotFoundError */
function find(sorted: Float64Array, id: number): number {
  let [start, end] = [0, sorted.length];
  while (start < end) {
    const middle = (start + end) >>> 1;
    if (at(sorted, middle) < id) start = middle + 1;
    else end = middle;
  }
  if (sorted[start] !== id) throw new NotFoundError();
  return start;
}

/** An item that is there. */
function at(items: Float64Array | Uint32Array, position: number): number {
  return items[position] as number;
}
