import type { Page, PageRequest } from "../domain/page.js";
import type { Answer, Read } from "../domain/read.js";
import type { Health } from "../domain/source.js";
import {
  isVariableName,
  isVariableType,
  type JsonValue,
  VARIABLE_TYPES,
  type ValueContent,
  type Variable,
  type VariableValue,
  valueFitsType,
} from "../domain/variable.js";

/** Thrown for a field that breaks a rule of the API. The message names both, and quotes no value. */
export class BrokenRuleError extends TypeError {
  /** @param field its path, such as `data[3].name`; empty for the whole body */
  constructor(
    readonly field: string,
    readonly rule: string,
  ) {
    super(`${field || "it"} must be ${rule}`);
  }
}

/**
 * Checks a resource of the API (docs/http-api.md). Servers are not trusted, since their names become environment
 * variables of programs: one invalid field rejects the whole answer. Unknown fields are dropped, so that servers can
 * add some.
 *
 * @throws BrokenRuleError
 */
export type Decoder<T> = (json: unknown) => T;

/** Twice as many as a data file is designed for. */
const MAX_ITEMS = 2_000_000;

/** Checks the answer to a read. */
export function decoderOf(read: Read): Decoder<Answer<Read>> {
  switch (read.kind) {
    case "variables":
      return decodePage(decodeVariable, read.page, "name");
    case "variable":
      return decodeOne(decodeVariable, read.id);
    case "values":
      return decodePage(decodeValue, read.page, "variable_id");
    case "value":
      return decodeOne(decodeValue, read.id);
    case "valueByName":
      return decodeValue;
    case "content":
      return decodeContent;
  }
}

export const decodeVariable: Decoder<Variable> = (json) => {
  const { id, type, name, description } = object(json);
  if (!isVariableType(type)) throw new BrokenRuleError("type", `one of ${VARIABLE_TYPES.join(", ")}`);
  if (typeof name !== "string" || !isVariableName(name)) throw new BrokenRuleError("name", "the name of a variable");
  return { id: positive(id, "id"), type, name, description: string(description, "description") };
};

export const decodeContent: Decoder<ValueContent> = (json) => {
  const { value } = object(json);
  if (value === undefined) throw new BrokenRuleError("value", "present");
  if (!valueFitsType(value, "JSON"))
    throw new BrokenRuleError("value", "JSON that is not nested too deeply, with numbers in range");
  return { value: value as JsonValue };
};

export const decodeValue: Decoder<VariableValue> = (json) => {
  const { id, variable_id, content } = object(json);
  return {
    id: positive(id, "id"),
    variable_id: positive(variable_id, "variable_id"),
    content: within("content", decodeContent, content),
  };
};

/** Reads the item with this id. */
export function decodeOne<T extends { id: number }>(decodeItem: Decoder<T>, id: number): Decoder<T> {
  return (json) => {
    const item = decodeItem(json);
    if (item.id !== id) throw new BrokenRuleError("id", "the requested one");
    return item;
  };
}

/**
 * Reads a page: the requested one, complete and sorted by id, so that a list has an end.
 *
 * @param key another field that is unique
 */
export function decodePage<T extends { id: number }>(
  decodeItem: Decoder<T>,
  asked: Required<PageRequest>,
  key: keyof T & string,
): Decoder<Page<T>> {
  return (json) => {
    const { metadata, data } = object(json);
    const { limit, offset, total } = within("metadata", object, metadata);
    const bounds = {
      // Servers may have smaller pages.
      limit: integer(limit, 1, asked.limit, "metadata.limit"),
      offset: integer(offset, asked.offset, asked.offset, "metadata.offset"),
      total: integer(total, 0, MAX_ITEMS, "metadata.total"),
    };
    if (!Array.isArray(data)) throw new BrokenRuleError("data", "a list");
    const length = Math.min(bounds.limit, Math.max(0, bounds.total - bounds.offset));
    if (data.length !== length) throw new BrokenRuleError("data", "as long as metadata says");
    const items = data.map((item, index) => within(index, decodeItem, item));
    const unordered = items.findIndex(({ id }, index) => index > 0 && id <= (items[index - 1] as T).id);
    if (unordered > 0) throw new BrokenRuleError(`data[${unordered}].id`, "greater than the id before it");
    if (new Set(items.map((item) => item[key])).size < length)
      throw new BrokenRuleError(key, "unique among the items of data");
    return { metadata: bounds, data: items };
  };
}

const DATE_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export const decodeHealth: Decoder<Health> = (json) => {
  const { uptime, message, date } = object(json);
  if (typeof uptime !== "number" || !Number.isFinite(uptime) || uptime < 0)
    throw new BrokenRuleError("uptime", "seconds");
  if (typeof date !== "string" || !DATE_PATTERN.test(date) || Number.isNaN(Date.parse(date))) {
    throw new BrokenRuleError("date", "a time such as 2026-01-31T12:00:00.000Z");
  }
  return { uptime, message: string(message, "message"), date };
};

export const decodeErrorMessage: Decoder<string> = (json) => string(object(json)["message"], "message");

/** Reads a part. @param place the field, or the index in `data` */
function within<T>(place: string | number, decode: Decoder<T>, json: unknown): T {
  try {
    return decode(json);
  } catch (error) {
    if (!(error instanceof BrokenRuleError)) throw error;
    const path = typeof place === "number" ? `data[${place}]` : place;
    throw new BrokenRuleError(error.field ? `${path}.${error.field}` : path, error.rule);
  }
}

function object(json: unknown): Record<string, unknown> {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  throw new BrokenRuleError("", "an object");
}

function integer(json: unknown, min: number, max: number, field: string): number {
  if (Number.isSafeInteger(json) && Number(json) >= min && Number(json) <= max) return Number(json);
  throw new BrokenRuleError(field, min === max ? `${min}, as requested` : `a whole number from ${min} to ${max}`);
}

function positive(json: unknown, field: string): number {
  if (Number.isSafeInteger(json) && Number(json) > 0) return Number(json);
  throw new BrokenRuleError(field, "a positive whole number");
}

function string(json: unknown, field: string): string {
  if (typeof json === "string") return json;
  throw new BrokenRuleError(field, "a string");
}
