import { thisProcess } from "../../kit/process/this-process.js";
import { withSubject } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { readAll, type VariableSource } from "../../model/source.js";
import { parseAs, valueText } from "../../model/variable.js";
import { withSource } from "../sources/open-source.js";
import type { Caller, Surroundings } from "../surroundings.js";
import type { ChildVariables } from "./child-environment.js";
import { prepareVariables, type VariableFlags, type VariableRules } from "./prepare-variables.js";

interface LoadOptions extends VariableFlags {
  apiSecret?: string | undefined;
  encryptionKey?: string | undefined;
  apply?: boolean | undefined;
  onWarning: (message: string) => void;
}

/** The work of `loadEnv`. @param surroundings whose environment has the settings, and is filled */
export async function loadVariables(
  { apiSecret, encryptionKey, apply = true, onWarning, ...flags }: LoadOptions,
  surroundings: Surroundings = thisProcess(),
): Promise<Record<string, JsonValue>> {
  const { env } = surroundings;
  const secrets = { APPVARS_API_SECRET: apiSecret, APPVARS_ENC_KEY: encryptionKey };
  const given = Object.entries(secrets).filter(([, secret]) => secret);
  const caller: Caller = {
    surroundings: { ...surroundings, env: { ...env, ...Object.fromEntries(given) } },
    note: (text) => onWarning(text),
    warn: onWarning,
    tell: () => {},
    progress: () => {},
  };
  const prepared = await prepareVariables(flags, env, caller);
  return withSource(prepared.open(), async (source) => {
    const loaded = await prepared.read(source);
    const typed = await withTypes(
      loaded,
      flags.preserveEnv ? env : undefined,
      prepared.rules,
      source,
    );
    if (apply) for (const { name, value } of loaded.variables) env[name] = valueText(value);
    return typed;
  });
}

/**
 * The values, with texts in their variables' types.
 *
 * @param preserved has texts that take precedence
 * @throws UsageError
 */
async function withTypes(
  { variables, taken }: ChildVariables,
  preserved: Surroundings["env"] | undefined,
  { selection, prefix, isTaken }: VariableRules,
  source: VariableSource,
): Promise<Record<string, JsonValue>> {
  const needsTypes = preserved || variables.some(({ isText }) => isText);
  const all = needsTypes ? await readAll((page) => source.listVariables(page)) : [];
  const names = all.map(({ name }) => name);
  const selected = new Set(needsTypes ? await selection.select(names) : []);
  const newName = (name: string) => prefix + selection.rename([name]).get(name);
  // The selected ones last: others may get the same names.
  const ordered = [...all, ...all.filter(({ name }) => selected.has(name))];
  const types = new Map(ordered.map(({ name, type }) => [newName(name), type]));
  const kept = new Set([...taken, ...[...selected].map(newName).filter(isTaken)]);
  const texts = [...kept].map((name) => ({ name, value: preserved?.[name] ?? "", isText: true }));
  const typed = [...variables, ...texts].map(({ name, value, isText }) => {
    const parse = () => parseAs(String(value), types.get(name) ?? "STRING");
    return [name, isText ? withSubject(name, parse) : value] as const;
  });
  return Object.fromEntries(typed);
}
