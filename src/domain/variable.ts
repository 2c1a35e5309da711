/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** The four types that a variable can have. */
export const VARIABLE_TYPES = ["STRING", "NUMBER", "BOOLEAN", "JSON"] as const;

export type VariableType = (typeof VARIABLE_TYPES)[number];

/** The definition of a variable; all environments of an application share it. */
export interface Variable {
  id: number;
  type: VariableType;
  name: string;
  /** `""` where there is none. */
  description: string;
}

export interface ValueContent {
  value: JsonValue;
}

/** What one variable holds in one environment. `id` is the id of this record, not of the variable. */
export interface VariableValue {
  id: number;
  variable_id: number;
  content: ValueContent;
}

/** The rule for names: safe in a path, a shell and a dotenv file. */
export const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_.-]{0,254}$/;

export function isVariableName(text: string): boolean {
  return NAME_PATTERN.test(text);
}

/** What a value that was encrypted by a client starts with; to a server it is an ordinary string. */
export const ENCRYPTED_PREFIX = "envbee:enc:v1:";

const TYPE_CHECKS: Record<VariableType, (value: unknown) => boolean> = {
  STRING: (value) => typeof value === "string",
  NUMBER: (value) => typeof value === "number" && Number.isFinite(value),
  BOOLEAN: (value) => typeof value === "boolean",
  JSON: (value) => isJson(value),
};

const DEEPEST_JSON = 500;

/**
 * JSON.parse makes Infinity of `1e999`, which JSON.stringify would turn into `null`; and what is nested thousands of
 * levels deep exhausts the stack of whoever writes or reads it.
 */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "object" && value !== null) {
    return depth < DEEPEST_JSON && Object.values(value).every((item) => isJson(item, depth + 1));
  }
  return value === null || typeof value === "string" || typeof value === "boolean";
}

/** Whether `value` may be held by a variable of `type`. A client-side encrypted value fits every type. */
export function valueFitsType(value: unknown, type: VariableType): boolean {
  return isEncrypted(value) || TYPE_CHECKS[type](value);
}

export function isEncrypted(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(ENCRYPTED_PREFIX);
}

export function isVariableType(text: unknown): text is VariableType {
  return VARIABLE_TYPES.some((type) => type === text);
}

/** A value as text: a string as it is, anything else as compact JSON. */
export function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
