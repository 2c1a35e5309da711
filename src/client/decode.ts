import { utcMs } from "../kit/text/duration.js";
import type { Page, PageRequest } from "../model/page.js";
import type { Answer, BrokenRule, Check, Read, ValuesByName } from "../model/read.js";
import type { Health } from "../model/source.js";
import {
  type Complete,
  isVariableName,
  isVariableType,
  VARIABLE_TYPES,
  type ValueContent,
  type Variable,
  type VariableValue,
  valueFitsType,
} from "../model/variable.js";

/**
 * Thrown for a field that breaks a rule of the API. The message names both, and quotes no value.
 */
export class BrokenRuleError extends TypeError {}

/**
 * Checks a resource of the API (docs/http-api.md). Servers are not trusted, since their names
 * become environment variables of programs: one invalid field rejects the whole answer. Unknown
 * fields are dropped, so that servers can add some.
 *
 * @param at path of the resource, such as `data[3]`; default the whole body
 * @throws BrokenRuleError
 */
export type Decoder<T> = (json: unknown, at?: string) => T;

/** Twice as many as a data file is designed for. */
const MAX_TOTAL = 2_000_000;
const JSON_RULE = "JSON that is not nested too deeply";

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
    case "valuesByName":
      return decodeValuesByName;
    case "check":
      return decodeCheck;
  }
}

export const decodeVariable: Decoder<Complete<Variable>> = (json, at) => {
  const { id, type, name, description } = object(json, at);
  return {
    id: positive(id, at, "id"),
    type: check(type, isVariableType(type), at, "type", `one of ${VARIABLE_TYPES.join(", ")}`),
    name: variableName(name, at, "name"),
    description: string(description, at, "description"),
  };
};

export const decodeContent: Decoder<Complete<ValueContent>> = (json, at) => {
  const { value } = object(json, at);
  check(value, value !== undefined, at, "value", "present");
  return { value: check(value, valueFitsType(value, "JSON"), at, "value", JSON_RULE) };
};

export const decodeValue: Decoder<Complete<VariableValue>> = (json, at) => {
  const { id, variable_id, content } = object(json, at);
  return {
    id: positive(id, at, "id"),
    variable_id: positive(variable_id, at, "variable_id"),
    content: decodeContent(content, pathOf(at, "content")),
  };
};

const decodeValuesByName: Decoder<Answer<{ kind: "valuesByName" }>> = (json) => {
  const data = object(object(json)["data"], "data") as ValuesByName;
  for (const name of Object.keys(data)) {
    check(name, isVariableName(name), "data", "", "an object with names of variables");
    check(name, valueFitsType(data[name], "JSON"), "data", name, JSON_RULE);
  }
  return { data };
};

const decodeBrokenRule: Decoder<BrokenRule> = (json, at) => {
  const { name, rule } = object(json, at);
  return { name: variableName(name, at, "name"), rule: string(rule, at, "rule") };
};

const decodeCheck: Decoder<Check> = (json) => {
  const { missing, invalid } = object(json);
  return {
    missing: list(missing, "missing").map((name, index) =>
      variableName(name, `missing[${index}]`, ""),
    ),
    invalid: list(invalid, "invalid").map((item, index) =>
      decodeBrokenRule(item, `invalid[${index}]`),
    ),
  };
};

/** Reads the item with this id. */
export function decodeOne<T extends { id: number }>(
  decodeItem: Decoder<T>,
  id: number,
): Decoder<T> {
  return (json) => {
    const item = decodeItem(json);
    return check(item, item.id === id, "", "id", "the requested one");
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
    const { limit, offset, total } = object(metadata, "metadata");
    const bounds = {
      // Servers may have smaller pages.
      limit: integer(limit, 1, asked.limit, "limit"),
      offset: integer(offset, asked.offset, asked.offset, "offset"),
      total: integer(total, 0, MAX_TOTAL, "total"),
    };
    const records = list(data, "data");
    const length = Math.min(bounds.limit, Math.max(0, bounds.total - bounds.offset));
    check(data, records.length === length, "", "data", "as long as metadata says");
    const items = records.map((item, index) => decodeItem(item, `data[${index}]`));
    items.forEach(({ id }, index) => {
      check(
        id,
        id > (items[index - 1]?.id ?? 0),
        `data[${index}]`,
        "id",
        "greater than the id before it",
      );
    });
    check(
      items,
      new Set(items.map((item) => item[key])).size === length,
      "",
      key,
      "unique among the items of data",
    );
    return { metadata: bounds, data: items };
  };
}

export const decodeHealth: Decoder<Health> = (json) => {
  const { uptime, message, date } = object(json);
  const isDate = typeof date === "string" && date.includes(".") && Number.isFinite(utcMs(date));
  return {
    uptime: check(uptime, Number.isFinite(uptime) && Number(uptime) >= 0, "", "uptime", "seconds"),
    message: string(message, "", "message"),
    date: check(date, isDate, "", "date", "a time such as 2026-01-31T12:00:00.000Z"),
  };
};

export const decodeErrorMessage: Decoder<string> = (json) =>
  string(object(json)["message"], "", "message");

function object(json: unknown, at = ""): Record<string, unknown> {
  return check(
    json,
    typeof json === "object" && json !== null && !Array.isArray(json),
    at,
    "",
    "an object",
  );
}

function list(json: unknown, field: string): unknown[] {
  return check(json, Array.isArray(json), "", field, "a list");
}

function variableName(json: unknown, at: string | undefined, field: string): string {
  const isName = typeof json === "string" && isVariableName(json);
  return check(json, isName, at, field, "the name of a variable");
}

function integer(json: unknown, min: number, max: number, field: string): number {
  const isInRange = Number.isSafeInteger(json) && Number(json) >= min && Number(json) <= max;
  const rule = min === max ? `${min}, as requested` : `a whole number from ${min} to ${max}`;
  return check(json, isInRange, "metadata", field, rule);
}

function positive(json: unknown, at: string | undefined, field: string): number {
  return check(
    json,
    Number.isSafeInteger(json) && Number(json) > 0,
    at,
    field,
    "a positive whole number",
  );
}

function string(json: unknown, at: string | undefined, field: string): string {
  return check(json, typeof json === "string", at, field, "a string");
}

/** @throws BrokenRuleError unless the rule is met */
function check<T>(
  json: unknown,
  isMet: boolean,
  at: string | undefined,
  field: string,
  rule: string,
): T {
  if (isMet) return json as T;
  throw new BrokenRuleError(`${pathOf(at, field) || "it"} must be ${rule}`);
}

function pathOf(at = "", field: string): string {
  return at && field ? `${at}.${field}` : at + field;
}
