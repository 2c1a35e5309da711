import type { ValidateFunction } from "ajv/dist/2020.js";
import { durationMs } from "../../kit/text/duration.js";
import { UsageError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { Check } from "../../model/read.js";
import { isUnreadable, type JsonSchema, type NamedValue } from "../../model/variable.js";
import { type Data, type ValueRecord, type VariableRecord, variablesOf } from "../data.js";
import { changesBetween } from "../record-changes.js";
import { MAX_SCHEMA, schemaProblem } from "./schema-keywords.js";

/** Compiles each schema once. */
export interface ValueChecker {
  /** Returns why a schema is not valid; `undefined` if it is. */
  brokenSchema(schema: JsonSchema): string | undefined;
  /**
   * Returns the first rule that a value breaks, to follow its name, or `undefined`. Never quotes
   * the value.
   */
  brokenRule(schema: JsonSchema, value: JsonValue): string | undefined;
}

/** The most compiled schemas that are kept. */
const MAX_KEPT = 10_000;
/** The largest product of the sizes of a schema and a value: a check takes up to about a second. */
const MAX_PRODUCT = 50_000_000;

interface Compiled {
  readonly isValid: ValidateFunction;
  /** The characters of the schema, plus the steps of its patterns. */
  readonly size: number;
}

let loading: Promise<ValueChecker> | undefined;

/** Loads ajv and a linear-time engine for patterns, which only a value with a schema needs. */
export function loadValueChecker(): Promise<ValueChecker> {
  loading ??= createValueChecker();
  return loading;
}

async function createValueChecker(): Promise<ValueChecker> {
  const [{ Ajv2020 }, { RE2JS }] = await Promise.all([import("ajv/dist/2020.js"), import("re2js")]);
  /** The instructions of a schema's patterns: `.{1000}` has a thousand. */
  let steps = 0;
  const compilePattern = (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    steps += compiled.programSize();
    if (steps > MAX_SCHEMA)
      throw new Error(`its patterns have more than ${MAX_SCHEMA} steps: repeat less`);
    return compiled;
  };
  const regExp = Object.assign(compilePattern, { code: "RE2JS" });
  // `schemaProblem` is stricter. With a precision, 0.3 is a multiple of 0.1.
  const rules = { strict: false, ownProperties: true, multipleOfPrecision: 9 } as const;
  const ajv = new Ajv2020({ ...rules, logger: false, addUsedSchema: false, code: { regExp } });
  // In place of ajv's own, which takes a format for strings or for numbers: a port can be either.
  ajv.removeKeyword("format").addKeyword({
    keyword: "format",
    type: ["string", "number"],
    schemaType: "string",
    compile: (format: string, _schema, { opts }) => {
      // The formats in the schema of schemas.
      if (opts.validateFormats === false) return () => true;
      const fits = FORMATS.get(format);
      if (!fits)
        throw new Error(
          `unknown format "${format}"; the formats are ${[...FORMATS.keys()].join(", ")}`,
        );
      return (value: string | number) => fits(String(value));
    },
    error: { message: ({ schema }) => `must match format "${schema}"` },
  });
  /** Compiled schemas by their text: most are the same in the next version of the data. */
  const known = new Map<string, Compiled | Error>();
  const compile = (schema: JsonSchema, text: string): Compiled => {
    const problem = schemaProblem(schema);
    if (problem) throw new Error(`it ${problem}`);
    steps = 0;
    const isValid = ajv.compile(schema);
    return { isValid, size: text.length + steps };
  };
  const compileOnce = (schema: JsonSchema) => {
    const text = JSON.stringify(schema);
    const compiled = known.get(text) ?? tried(() => compile(schema, text));
    // ajv never forgets what it has compiled.
    if (known.set(text, compiled).size === MAX_KEPT) loading = undefined;
    return compiled;
  };
  return {
    brokenSchema(schema) {
      const result = compileOnce(schema);
      return result instanceof Error ? result.message : undefined;
    },
    brokenRule(schema, value) {
      const compiled = compileOnce(schema);
      if (compiled instanceof Error)
        return `can't be checked: its schema is not valid (${compiled.message})`;
      const { isValid, size } = compiled;
      if (size * JSON.stringify(value).length > MAX_PRODUCT) return "is too large for its schema";
      const fits: unknown = tried(() => isValid(value));
      if (fits === true) return undefined;
      if (fits !== false) return "can't be checked by its schema";
      const [error] = isValid.errors ?? [];
      // Not the path of the value, which may contain a secret.
      return `${error?.message}${error?.instancePath ? ` (${error.schemaPath})` : ""}`;
    },
  };
}

/** @param what names it in the error @throws UsageError with the reason why it is not valid */
export async function checkSchema(schema: JsonSchema, what: string): Promise<void> {
  const problem = schemaProblem(schema);
  if (problem !== undefined) throw new UsageError(`${what} ${problem}`);
  const broken = (await loadValueChecker()).brokenSchema(schema);
  if (broken !== undefined) throw new UsageError(`${what} is not valid: ${broken}`);
}

/** The formats of a schema. Each has to be quick for any text. */
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["url", (text: string) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text)],
  [
    "email",
    (text: string) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text),
  ],
  ["port", (text: string) => /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535],
  ["duration", (text: string) => durationMs(text) !== undefined],
]);

/** Returns the result or the error of `work`. Deep data can exhaust the stack. */
function tried<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error as Error;
  }
}

/** The longest time that other work has to wait, in milliseconds. */
const MAX_TURN_MS = 10;

interface Checked {
  readonly variable: VariableRecord | undefined;
  readonly value: JsonValue | undefined;
}

type Broken<T = unknown> = T & { readonly variable: VariableRecord; readonly rule: string };

/** Finds values that break the schema of their variable. Encrypted values are not checked. */
async function findBroken<T extends Checked>(values: readonly T[]): Promise<Broken<T>[]> {
  const broken: Broken<T>[] = [];
  let turn = performance.now();
  for (const each of values) {
    const { variable, value } = each;
    if (!variable?.schema || value === undefined || isUnreadable(value)) continue;
    const rule = (await loadValueChecker()).brokenRule(variable.schema, value);
    if (rule !== undefined) broken.push({ ...each, variable, rule });
    if (performance.now() - turn < MAX_TURN_MS) continue;
    await new Promise((resolve) => void setImmediate(resolve));
    turn = performance.now();
  }
  return broken;
}

/**
 * Checks the values whose record or definition has changed.
 *
 * @returns those that break their schemas; `isNew` says whether the value itself has changed
 */
export async function brokenValues(data: Data, next: Data) {
  const variables = new Map(
    next.variables.filter(({ schema }) => schema).map((each) => [each.id, each]),
  );
  const changed = new Set<unknown>(changesBetween(data, next).map(({ after }) => after));
  const values = next.values.flatMap((record) => {
    const [variable, isNew] = [variables.get(record.variable_id), changed.has(record)];
    return isNew || changed.has(variable)
      ? { ...record, variable, value: record.content.value, isNew }
      : [];
  });
  return findBroken(values);
}

/** @param advice ends the message @throws UsageError with the names and the rules, and no value */
export function refuseBroken(broken: readonly Broken[], advice = ""): void {
  const rules = new Set(broken.map(({ variable, rule }) => `${variable.name} ${rule}`));
  if (rules.size > 0)
    throw new UsageError(`refused by the schema: ${[...rules].join("; ")}${advice}`);
}

/** Checks values that will be encrypted. @throws UsageError, as `refuseBroken` does */
export async function checkPlainValues(
  data: Data,
  { application }: Pick<VariableRecord, "application">,
  values: readonly Pick<NamedValue, "name" | "value">[],
): Promise<void> {
  const variables = variablesOf(data, application);
  refuseBroken(
    await findBroken(values.map(({ name, value }) => ({ variable: variables.get(name), value }))),
  );
}

/** Finds missing and invalid values of an environment. Encrypted values are not checked. */
export async function findProblems(
  variables: readonly VariableRecord[],
  values: readonly ValueRecord[],
): Promise<Check> {
  const contents = new Map(values.map(({ variable_id, content }) => [variable_id, content.value]));
  const missing = variables
    .filter(({ id, optional }) => !optional && !contents.has(id))
    .map(({ name }) => name);
  const broken = await findBroken(
    variables.map((variable) => ({ variable, value: contents.get(variable.id) })),
  );
  return { missing, invalid: broken.map(({ variable: { name }, rule }) => ({ name, rule })) };
}
