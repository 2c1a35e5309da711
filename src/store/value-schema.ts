import { durationMs } from "../domain/duration.js";
import { UsageError } from "../domain/errors.js";
import type { Check } from "../domain/read.js";
import { isEncrypted, type JsonSchema, type JsonValue, type NamedValue } from "../domain/variable.js";
import type { Data, ValueRecord, VariableRecord } from "./data.js";
import { variablesOf } from "./edit-values.js";
import { schemaProblem } from "./parse-data.js";

/** Compiles each schema once. */
export interface ValueChecker {
  /** Why a schema is not valid; undefined if it is. */
  brokenSchema(schema: JsonSchema): string | undefined;
  /** The first rule that a value breaks, to follow its name; undefined for none. Never quotes the value. */
  brokenRule(schema: JsonSchema, value: JsonValue): string | undefined;
}

let loading: Promise<ValueChecker> | undefined;

/** Loads ajv and a linear-time engine for patterns, which only a value with a schema needs. */
export function loadValueChecker(): Promise<ValueChecker> {
  loading ??= createValueChecker();
  return loading;
}

async function createValueChecker(): Promise<ValueChecker> {
  const [{ Ajv2020 }, { RE2JS }] = await Promise.all([import("ajv/dist/2020.js"), import("re2js")]);
  const regExp = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), { code: "RE2JS" });
  const lax = { strictTypes: false, strictTuples: false, strictRequired: false } as const;
  const ajv = new Ajv2020({ ...lax, strict: true, logger: false, addUsedSchema: false, code: { regExp } });
  // In place of ajv's own, which takes a format for strings or for numbers: a port can be either.
  ajv.removeKeyword("format").addKeyword({
    keyword: "format",
    type: ["string", "number"],
    schemaType: "string",
    compile: (format: string, _schema, { opts }) => {
      // The formats in the schema of schemas.
      if (opts.validateFormats === false) return () => true;
      const fits = FORMATS.get(format);
      if (!fits) throw new Error(`unknown format "${format}"; the formats are ${[...FORMATS.keys()].join(", ")}`);
      return (value: string | number) => fits(String(value));
    },
    error: { message: ({ schema }) => `must match format "${schema}"` },
  });
  // By its text: ajv keeps all that it compiles, and most schemas are the same in the next version of the data.
  const compiled = new Map<string, ReturnType<typeof ajv.compile> | Error>();
  const compileOnce = (schema: JsonSchema) => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? tried(() => ajv.compile(schema));
    compiled.set(text, known);
    return known;
  };
  return {
    brokenSchema(schema) {
      const result = compileOnce(schema);
      return result instanceof Error ? result.message : undefined;
    },
    brokenRule(schema, value) {
      const isValid = compileOnce(schema);
      const fits = isValid instanceof Error ? isValid : tried(() => isValid(value));
      if (fits instanceof Error) return `can't be checked: its schema is not valid (${fits.message})`;
      if (isValid instanceof Error || fits) return undefined;
      const [error] = isValid.errors ?? [];
      // Not the path of the value, which may contain a secret.
      return `${error?.message}${error?.instancePath ? ` (${error.schemaPath})` : ""}`;
    },
  };
}

/** @param what names it in the error @throws UsageError with the reason why it is not valid */
export async function checkSchema(schema: JsonSchema, what: string): Promise<void> {
  const problem = schemaProblem(schema);
  if (problem !== undefined) throw new UsageError(`${what}${problem}`);
  const broken = (await loadValueChecker()).brokenSchema(schema);
  if (broken !== undefined) throw new UsageError(`${what} is not valid: ${broken}`);
}

/** The formats of a schema. Each has to be quick for any text. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["url", (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text)],
  ["email", (text: string) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text)],
  ["port", (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535],
  ["duration", (text: string) => durationMs(text) !== undefined],
]);

/** A schema that refers to itself can exhaust the stack. */
function tried<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}

/**
 * Returns the data if these values of an application fit its schemas. Encrypted ones are not checked.
 *
 * @throws UsageError with the names and the rules of those that don't, and no value
 */
export async function keepingSchemas(
  data: Data,
  { application }: Pick<VariableRecord, "application">,
  values: readonly Pick<NamedValue, "name" | "value">[],
): Promise<Data> {
  const variables = variablesOf(data, application);
  const broken: string[] = [];
  for (const { name, value } of values) {
    const schema = variables.get(name)?.schema;
    if (!schema || isEncrypted(value)) continue;
    const rule = (await loadValueChecker()).brokenRule(schema, value);
    if (rule !== undefined) broken.push(`${name} ${rule}`);
  }
  if (broken.length > 0) throw new UsageError(`refused by the schema: ${broken.join("; ")}`);
  return data;
}

/** The longest time for which other work has to wait. */
const MAX_TURN_MS = 10;

/** What is wrong with the values of an environment. Encrypted ones are not checked. */
export async function findProblems(
  variables: readonly VariableRecord[],
  values: readonly ValueRecord[],
): Promise<Check> {
  const contents = new Map(values.map(({ variable_id, content }) => [variable_id, content.value]));
  const found: Check = { missing: [], invalid: [] };
  let turn = performance.now();
  for (const { id, name, optional, schema } of variables) {
    const value = contents.get(id);
    if (value === undefined && !optional) found.missing.push(name);
    if (value === undefined || !schema || isEncrypted(value)) continue;
    const rule = (await loadValueChecker()).brokenRule(schema, value);
    if (rule !== undefined) found.invalid.push({ name, rule });
    if (performance.now() - turn < MAX_TURN_MS) continue;
    await new Promise((resolve) => void setImmediate(resolve));
    turn = performance.now();
  }
  return found;
}
