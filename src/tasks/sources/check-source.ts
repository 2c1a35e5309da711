import { UsageError } from "../../kit/text/errors.js";
import type { JsonValue } from "../../kit/text/strict-json.js";
import { shortestName } from "../../model/environment.js";
import { DecryptionError } from "../../model/errors.js";
import { readAll } from "../../model/reads/page.js";
import type { Check, InvalidValue, Snapshot } from "../../model/reads/read.js";
import { isEnvelope, isUnreadable, parseAs, type Variable } from "../../model/variable.js";
import { chooseEnvironment } from "../data/choose-environments.js";
import { dataLocationOf } from "../settings/connection.js";
import type { Settings } from "../settings/resolve-settings.js";
import type { Caller } from "../surroundings.js";
import { createDecrypt, type Decrypt, leaveEncrypted } from "./decryption.js";
import { openSource } from "./open-source.js";

/** @param only the names to check. Default: all */
export type CheckValues = (snapshot: Snapshot, only?: readonly string[]) => Promise<Check>;

/**
 * Opens environments of local data, read once, or the environment of a server,
 * whose name is unknown. Default: the environment of the settings.
 */
export async function openEnvironments(
  { env = [], all = false }: { env?: readonly string[]; all?: boolean | undefined },
  settings: Settings,
  caller: Caller,
) {
  const isRemote = ["url", undefined].includes(settings.find("url")?.name);
  if (isRemote && all)
    throw new UsageError("--all is for a data file or a store: a server shows one environment");
  if (isRemote) return [{ environment: undefined, source: await openSource(settings, caller) }];
  const { readData } = await import("../data/open-data.js");
  const { EnvironmentView } = await import("../../service/environment-view.js");
  const data = await readData(dataLocationOf(settings), caller);
  const { environments } = data;
  const names = () => (env.length > 0 ? env : [settings.find("env")?.text]);
  const chosen = all ? environments : names().map((name) => chooseEnvironment(environments, name));
  return chosen.map((environment) => ({
    environment: shortestName(environment, environments),
    source: new EnvironmentView(data, environment, caller.surroundings.clock),
  }));
}

/** Creates the check of `--strict`, which a flag or the project asks for. */
export async function createStrictCheck(
  flag: boolean | undefined,
  settings: Settings,
): Promise<CheckValues | undefined> {
  return (flag ?? settings.find("strict") !== undefined) ? createCheck(settings) : undefined;
}

/** Creates a check, of encrypted values too if there is a key. */
export async function createCheck(settings: Settings): Promise<CheckValues> {
  const decrypt = await createDecrypt(settings, leaveEncrypted);
  return async (snapshot, only) => {
    const check = await snapshot.checkValues();
    if (decrypt === leaveEncrypted) return check;
    const values = await snapshot.values(only);
    if (!Object.values(values).some(isUnreadable)) return check;
    const invalid = [...check.invalid];
    for (const variable of await readAll((page) => snapshot.listVariables(page))) {
      const rule = await brokenByEncrypted(variable, values[variable.name], snapshot, decrypt);
      if (rule !== undefined) invalid.push({ name: variable.name, rule });
    }
    return { ...check, invalid };
  };
}

async function brokenByEncrypted(
  { id, name, type }: Variable,
  value: JsonValue | undefined,
  snapshot: Snapshot,
  decrypt: Decrypt,
): Promise<string | undefined> {
  if (!isEnvelope(value)) return undefined;
  try {
    const text = String(decrypt(name, value));
    const schema = isUnreadable(text) ? undefined : snapshot.rulesOf(id)?.schema;
    const plain = parseAs(text, type);
    const { loadValueChecker } = await import("../../store/schema/value-checker.js");
    return schema && (await loadValueChecker()).brokenRule(schema, plain);
  } catch (error) {
    if (error instanceof DecryptionError)
      return "can't be decrypted: the key is wrong, or the value was changed";
    if (error instanceof UsageError) return `must be a ${type}`;
    throw error;
  }
}

/** Lists all problems without a subject: `has no value`. */
export function problemsOf({ missing, invalid }: Check): InvalidValue[] {
  return [...missing.map((name) => ({ name, rule: "has no value" })), ...invalid];
}
