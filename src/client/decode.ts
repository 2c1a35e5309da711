import type { Page } from "../domain/page.js";
import type { Health } from "../domain/source.js";
import {
  isVariableType,
  type JsonValue,
  type ValueContent,
  type Variable,
  type VariableValue,
} from "../domain/variable.js";

/**
 * Readers of the contract's resources. Each takes the fields it knows, and throws a TypeError when one of
 * them is missing or of another type: an answer is taken whole or not at all.
 */
export type Decoder<T> = (json: unknown) => T;

export const decodeVariable: Decoder<Variable> = (json) => {
  const { id, type, name, description } = object(json);
  if (!isVariableType(type)) throw new TypeError("type");
  return { id: number(id), type, name: string(name), description: string(description) };
};

export const decodeContent: Decoder<ValueContent> = (json) => {
  const { value } = object(json);
  if (value === undefined) throw new TypeError("value");
  // It came out of JSON.parse.
  return { value: value as JsonValue };
};

export const decodeValue: Decoder<VariableValue> = (json) => {
  const { id, variable_id, content } = object(json);
  return { id: number(id), variable_id: number(variable_id), content: decodeContent(content) };
};

export function decodePage<T>(decodeItem: Decoder<T>): Decoder<Page<T>> {
  return (json) => {
    const { metadata, data } = object(json);
    const { limit, offset, total } = object(metadata);
    if (!Array.isArray(data)) throw new TypeError("data");
    return {
      metadata: { limit: number(limit), offset: number(offset), total: number(total) },
      data: data.map(decodeItem),
    };
  };
}

export const decodeHealth: Decoder<Health> = (json) => {
  const { uptime, message, date } = object(json);
  return { uptime: number(uptime), message: string(message), date: string(date) };
};

export const decodeErrorMessage: Decoder<string> = (json) => string(object(json)["message"]);

function object(json: unknown): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw new TypeError("object");
  return json as Record<string, unknown>;
}

function number(json: unknown): number {
  if (typeof json !== "number") throw new TypeError("number");
  return json;
}

function string(json: unknown): string {
  if (typeof json !== "string") throw new TypeError("string");
  return json;
}
