import { thisProcess } from "../../kit/process/this-process.js";
import { withSubject } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { readAll } from "../../model/reads/page.js";
import type { VariableSource } from "../../model/reads/read.js";
import { parseAs, valueText } from "../../model/variable.js";
import { withSource } from "../sources/open-source.js";
import type { Caller, Surroundings } from "../surroundings.js";
import { type ChildVariables, filterEnvironment } from "./child-environment.js";
import { prepareVariables, type VariableFlags, type VariableRules } from "./prepare-variables.js";

interface LoadOptions extends VariableFlags {
  apiSecret?: string | undefined;
  encryptionKey?: string | undefined;
  apply?: boolean | undefined;
  onWarning: (message: string) => void;
}

/**
 * Does the work of `loadEnv`.
 *
 * @param surroundings their `env` has the settings, and is filled
 */
export async function loadVariables(
  { apiSecret, encryptionKey, apply = true, onWarning, ...flags }: LoadOptions,
  surroundings: Surroundings = thisProcess(),
): Promise<Record<string, JsonValue>> {
  const { env } = surroundings;
  const secrets = {
    ...(apiSecret && { APPVARS_API_SECRET: apiSecret }),
    ...(encryptionKey && { APPVARS_ENC_KEY: encryptionKey }),
  };
  const caller: Caller = {
    surroundings: { ...surroundings, env: { ...env, ...secrets } },
    note: (text) => onWarning(text),
    warn: onWarning,
    tell: () => {},
    progress: () => {},
  };
  const prepared = await prepareVariables(
    flags,
    filterEnvironment(env, () => true),
    caller,
  );
  return withSource(prepared.open(), async (source) => {
    const loaded = await prepared.read(source);
    const preserved = flags.preserveEnv ? env : undefined;
    const values = await typedValues(loaded, preserved, prepared.rules, source);
    if (apply) for (const { name, value } of loaded.variables) env[name] = valueText(value);
    return values;
  });
}

/**
 * Returns the values by name, parsed by the types of their variables.
 *
 * @param preserved the environment whose values take precedence
 */
async function typedValues(
  { variables, setElsewhere }: ChildVariables,
  preserved: Surroundings["env"] | undefined,
  { selection, prefix, isSetElsewhere }: VariableRules,
  source: VariableSource,
): Promise<Record<string, JsonValue>> {
  const needsTypes = preserved || variables.some(({ isText }) => isText);
  const all = needsTypes ? await readAll((page) => source.listVariables(page)) : [];
  const names = all.map(({ name }) => name);
  const selected = new Set(needsTypes ? await selection.select(names) : []);
  const newName = (name: string) => prefix + selection.rename([name]).get(name);
  // Selected variables last, since others may get the same names.
  const ordered = [...all, ...all.filter(({ name }) => selected.has(name))];
  const types = new Map(ordered.map(({ name, type }) => [newName(name), type]));
  const namesSetElsewhere = new Set([
    ...setElsewhere,
    ...[...selected].map(newName).filter(isSetElsewhere),
  ]);
  const parse = (name: string, text: unknown) =>
    withSubject(name, () => parseAs(String(text), types.get(name) ?? "STRING"));
  return Object.fromEntries([
    ...variables.map(({ name, value, isText }) => [name, isText ? parse(name, value) : value]),
    ...[...namesSetElsewhere].map((name) => [name, parse(name, preserved?.[name] ?? "")]),
  ]);
}
