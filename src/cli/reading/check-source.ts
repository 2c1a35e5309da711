import { DecryptionError, UsageError } from "../../domain/errors.js";
import type { BrokenRule, Check } from "../../domain/read.js";
import type { Snapshot, VariableEntry } from "../../domain/source.js";
import { isEncrypted } from "../../domain/variable.js";
import type { Context } from "../output/context.js";
import type { Settings } from "../settings/resolve-settings.js";
import { createDecrypt, type Decrypt, leaveEncrypted } from "./decryption.js";
import { orUndefined } from "./run-get.js";

/** Finds what is wrong with the values of an environment. @param entries all of the snapshot */
export type CheckEntries = (snapshot: Snapshot, entries: readonly VariableEntry[]) => Promise<Check>;

/** The check of `--strict`; undefined without it. @param flag of the command; the project's setting if undefined */
export async function createStrictCheck(
  flag: boolean | undefined,
  settings: Settings,
  context: Context,
): Promise<CheckEntries | undefined> {
  return (flag ?? settings.find("strict") !== undefined) ? createCheck(settings, context) : undefined;
}

/** With a key, encrypted values are checked too. */
export async function createCheck(settings: Settings, { note }: Context): Promise<CheckEntries> {
  const decrypt = await createDecrypt(settings, leaveEncrypted);
  let isNoted = false;
  return async (snapshot, entries) => {
    const found = await orUndefined(snapshot.checkValues());
    if (!found && !isNoted) note("the server is too old to check values: every variable without a value is missing");
    isNoted ||= !found;
    const names = entries.flatMap(({ variable, value }) => (value ? [] : variable.name));
    const invalid = [...(found?.invalid ?? [])];
    for (const entry of entries) {
      const rule = await brokenByEncrypted(entry, snapshot, decrypt);
      if (rule !== undefined) invalid.push({ name: entry.variable.name, rule });
    }
    return { missing: found?.missing ?? names, invalid };
  };
}

async function brokenByEncrypted(
  { variable: { id, name, type }, value }: VariableEntry,
  snapshot: Snapshot,
  decrypt: Decrypt,
): Promise<string | undefined> {
  const sealed = value?.content.value;
  if (!isEncrypted(sealed)) return undefined;
  const { parseAs } = await import("../../formats/infer-type.js");
  try {
    const text = String(decrypt(name, sealed));
    const schema = isEncrypted(text) ? undefined : snapshot.rulesOf(id)?.schema;
    const plain = parseAs(text, type);
    const { loadValueChecker } = await import("../../store/value-schema.js");
    return schema && (await loadValueChecker()).brokenRule(schema, plain);
  } catch (error) {
    if (error instanceof DecryptionError) return "can't be decrypted: the key is wrong, or the value was changed";
    if (error instanceof UsageError) return `must be a ${type}`;
    throw error;
  }
}

/** All problems as predicates, with the names of the variables. */
export function problemsOf({ missing, invalid }: Check): BrokenRule[] {
  return [...missing.map((name) => ({ name, rule: "has no value" })), ...invalid];
}
