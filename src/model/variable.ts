import { UsageError } from "../kit/text/errors.js";
import { exactNumber, JsonError, type JsonValue, parseJson } from "../kit/text/strict-json.js";

/** Deeper values would exhaust the stack of programs that read or write them. */
const MAX_JSON_DEPTH = 500;

export const VARIABLE_TYPES = ["STRING", "NUMBER", "BOOLEAN", "JSON"] as const;

export type VariableType = (typeof VARIABLE_TYPES)[number];

/**
 * A copy of T that names all fields: a new optional field is an error until it
 * is copied.
 */
export type Complete<T> = { [Field in keyof Required<T>]: T[Field] };

/** The definition of a variable, which all environments of an application share. */
export interface Variable {
  id: number;
  type: VariableType;
  name: string;
  /** `""` without a description. */
  description: string;
}

/** A variable's rules for its values, which the API doesn't send. */
export interface ValueRules {
  /** Whether an environment may lack a value. Default false. */
  readonly optional?: boolean | undefined;
  /** Whether its values are hidden unless the user asks for them. Default true. */
  readonly secret?: boolean | undefined;
  readonly schema?: JsonSchema | undefined;
}

export function isPublic(rules: ValueRules | undefined): boolean {
  return rules?.secret === false;
}

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The fields of a variable that can change. */
export type Definition = Omit<Variable, "id" | "name"> & ValueRules;

/**
 * The names that users see for the fields of a variable, in the order of
 * columns.
 */
export const VARIABLE_LABELS = {
  name: "name",
  type: "type",
  description: "description",
  id: "variable id",
} satisfies Record<keyof Variable, string>;

export const VARIABLE_FIELDS = Object.keys(VARIABLE_LABELS) as (keyof Variable)[];

export interface ValueContent {
  value: JsonValue;
}

/**
 * The value of a variable in one environment. `id` is the id of this record,
 * not of the variable.
 */
export interface VariableValue {
  id: number;
  variable_id: number;
  content: ValueContent;
}

/** A variable of one environment by its name, without its records. */
export interface NamedValue {
  name: string;
  type: VariableType;
  value: JsonValue;
  /** Set where values are shown. */
  rules?: ValueRules | undefined;
}

/** A name is safe in a path, a shell and a dotenv file. */
export const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_.-]{0,254}$/;

export const EMPTY_OBJECT_MD5 = "99914b932bd37a50b983c5e7c90ae93b";

/** The rule of `isVariableName`, for messages; follows "a name is" or "must be". */
export const NAME_RULE = `1 to 255 letters, digits, _ . or -, beginning with a letter or _ and not ending in ${EMPTY_OBJECT_MD5}`;

/**
 * Whether a variable may have this name. A request is signed over its route,
 * optionally followed by that MD5, so the signature for `PORT` with the MD5
 * would also be valid for `PORT99914b…` without it.
 */
export function isVariableName(text: string): boolean {
  return NAME_PATTERN.test(text) && !text.endsWith(EMPTY_OBJECT_MD5);
}

/** @throws UsageError with the rule */
export function checkVariableName(text: string): void {
  if (isVariableName(text)) return;
  const shown = text.length > 255 ? `${text.slice(0, 60)}…` : text;
  throw new UsageError(`"${shown}" can't be a variable's name: a name is ${NAME_RULE}`);
}

/** Returns the id. @throws UsageError for anything but a positive safe integer */
export function checkId(id: number): number {
  if (!Number.isSafeInteger(id) || id < 1)
    throw new UsageError("id must be a positive whole number");
  return id;
}

/**
 * The prefix of an envelope, a value that a client has encrypted. To a server,
 * it is an ordinary string. It names another product because existing clients
 * of this API use it (docs/data-file.md, "Encrypted values").
 */
export const ENVELOPE_PREFIX = "envbee:enc:v1:";

/** The prefix of a string that replaces a secret in a sealed data file. */
export const SEALED_PREFIX = "appvars:sealed:v1:";

function isJson(value: unknown, depth = 0): boolean {
  // JSON.parse returns Infinity for `1e999`, and JSON.stringify would write
  // `null`.
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value === "object" && value !== null) {
    if (depth >= MAX_JSON_DEPTH) return false;
    for (const item of Object.values(value)) if (!isJson(item, depth + 1)) return false;
    return true;
  }
  return value === null || typeof value === "string" || typeof value === "boolean";
}

/**
 * Whether a variable of `type` may hold `value`. A value that can't be read
 * fits every type.
 */
export function valueFitsType(value: unknown, type: VariableType): boolean {
  const isOfType = type === "JSON" || typeof value === type.toLowerCase();
  return (isOfType && isJson(value)) || isUnreadable(value);
}

/** Whether a client has encrypted the value. */
export function isEnvelope(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(ENVELOPE_PREFIX);
}

export function isSealedText(value: unknown): value is string {
  return typeof value === "string" && value.startsWith(SEALED_PREFIX);
}

/**
 * Whether the value is an envelope, or from a sealed file that was opened
 * without its key.
 */
export function isUnreadable(value: unknown): value is string {
  if (typeof value !== "string") return false;
  return value.startsWith(ENVELOPE_PREFIX) || value.startsWith(SEALED_PREFIX);
}

export function isVariableType(text: unknown): text is VariableType {
  return (VARIABLE_TYPES as readonly unknown[]).includes(text);
}

/** Returns a string unchanged, anything else as compact JSON. */
export function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Returns the text that `parseAs` reads as this value. A string of type JSON
 * has quotes.
 */
export function formatAs(value: JsonValue, type: VariableType, indent?: number): string {
  return type === "JSON" && !isUnreadable(value)
    ? JSON.stringify(value, undefined, indent)
    : valueText(value);
}

/**
 * Parses the text of a value of this type. An encrypted value stays unchanged.
 *
 * @throws UsageError with the rule of the type, which never quotes the text
 */
export function parseAs(text: string, type: VariableType): JsonValue {
  if (type === "STRING" || isUnreadable(text)) return text;
  if (type === "JSON") return parseExactJson(text);
  if (type === "BOOLEAN") {
    if (text !== "true" && text !== "false") throw new UsageError("a BOOLEAN is true or false");
    return text === "true";
  }
  const number = exactNumber(text);
  if (number === undefined)
    throw new UsageError(
      "a NUMBER must be a JSON number in the range and precision of a double; for any other text, use the type STRING",
    );
  return number;
}

/** Parses JSON from a user. @throws UsageError with line and column */
export function parseExactJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof JsonError ? new UsageError(`not valid JSON: ${error.message}`) : error;
  }
}
