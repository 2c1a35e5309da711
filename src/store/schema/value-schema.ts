import { UsageError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import type { Check } from "../../model/reads/read.js";
import { isUnreadable, type JsonSchema, type NamedValue } from "../../model/variable.js";
import {
  contentsOf,
  type Data,
  mapById,
  type ValueRecord,
  type VariableRecord,
  variablesOf,
} from "../data.js";
import { changesBetween } from "../history.js";
import { schemaProblem } from "./data-rules.js";
import { loadValueChecker } from "./value-checker.js";

/** The longest time without a pause for other work. */
const MAX_BLOCKED_MS = 10;

/**
 * @param what names the schema in the error
 *
 * @throws UsageError if it is not valid
 */
export async function checkSchema(schema: JsonSchema, what: string): Promise<void> {
  const problem = schemaProblem(schema);
  if (problem !== undefined) throw new UsageError(`${what} ${problem}`);
  const broken = (await loadValueChecker()).brokenSchema(schema);
  if (broken !== undefined) throw new UsageError(`${what} is not valid: ${broken}`);
}

interface Checked {
  readonly variable: VariableRecord | undefined;
  readonly value: JsonValue | undefined;
}

type Broken<T = unknown> = T & { readonly variable: VariableRecord; readonly rule: string };

/** Finds values that break the schema of their variable. Skips encrypted values. */
async function findBroken<T extends Checked>(values: readonly T[]): Promise<Broken<T>[]> {
  const broken: Broken<T>[] = [];
  let resumedAt = performance.now();
  for (const each of values) {
    const { variable, value } = each;
    if (!variable?.schema || value === undefined || isUnreadable(value)) continue;
    const rule = (await loadValueChecker()).brokenRule(variable.schema, value);
    if (rule !== undefined) broken.push({ ...each, variable, rule });
    if (performance.now() - resumedAt < MAX_BLOCKED_MS) continue;
    await new Promise((resolve) => void setImmediate(resolve));
    resumedAt = performance.now();
  }
  return broken;
}

/**
 * Finds values that break a schema after a change. `isNew`: the value itself
 * has changed.
 */
export async function brokenValues(data: Data, next: Data) {
  const changed = new Set<unknown>(changesBetween(data, next).map(({ after }) => after));
  const variables = mapById(next.variables.filter(({ schema }) => schema));
  const values: (ValueRecord & Checked & { isNew: boolean })[] = [];
  for (const record of next.values) {
    const variable = variables.get(record.variable_id);
    const isNew = changed.has(record);
    if (variable && (isNew || changed.has(variable)))
      values.push({ ...record, variable, value: record.content.value, isNew });
  }
  return findBroken(values);
}

/**
 * @param advice ends the message
 *
 * @throws UsageError with the names and the rules, and no value
 */
export function refuseBroken(broken: readonly Broken[], advice = ""): void {
  const rules = new Set(broken.map(({ variable, rule }) => `${variable.name} ${rule}`));
  if (rules.size > 0)
    throw new UsageError(`refused by the schema: ${[...rules].join("; ")}${advice}`);
}

/** Checks values that will be encrypted. @throws as `refuseBroken` */
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

export async function findProblems(
  variables: readonly VariableRecord[],
  values: readonly ValueRecord[],
): Promise<Check> {
  const contents = contentsOf(values);
  const missing = variables
    .filter(({ id, optional }) => !optional && !contents.has(id))
    .map(({ name }) => name);
  const broken = await findBroken(
    variables.map((variable) => ({ variable, value: contents.get(variable.id) })),
  );
  return { missing, invalid: broken.map(({ variable: { name }, rule }) => ({ name, rule })) };
}
