import { DecryptionError } from "../domain/errors.js";
import type { VariableSource } from "../domain/source.js";
import { isEncrypted, type JsonValue } from "../domain/variable.js";
import type { Context } from "./context.js";
import { createDecrypt, leaveEncrypted } from "./decryption.js";
import { type InspectedSetting, inspectSettings } from "./inspect-settings.js";
import { type NamedRecord, readRecord } from "./read-record.js";
import type { SettingName, SourceFlags } from "./settings.js";
import { type ShellVariable, shellVariable } from "./shell-variable.js";

/** Where a variable's value comes from. */
export interface Explanation {
  record: NamedRecord;
  /** Undefined where it has no value in this environment. */
  value: { value: JsonValue } | "undecrypted" | undefined;
  encrypted: boolean;
  /** The settings that led to it. */
  settings: readonly InspectedSetting[];
  shell: ShellVariable;
}

/** What of the settings tells which server or file, and which environment of it. */
const REMOTE: readonly SettingName[] = ["profile", "url", "apiKey", "apiSecret", "apiSecretFile"];
const LOCAL: readonly SettingName[] = ["profile", "data", "env"];

/** @throws NotFoundError, with a suggestion, when no variable has that name; what reading throws */
export async function explain(
  name: string,
  source: VariableSource,
  flags: SourceFlags,
  context: Context,
): Promise<Explanation> {
  const record = await readRecord(name, source);
  const stored = record.value?.content;
  const value = stored && isEncrypted(stored.value) ? await open(name, stored.value, flags, context) : stored;
  const { settings } = inspectSettings(flags, context.io);
  const relevant = settings.some((setting) => setting.name === "data") ? LOCAL : REMOTE;
  return {
    record,
    value,
    encrypted: isEncrypted(stored?.value),
    settings: settings.filter((setting) => relevant.includes(setting.name)),
    shell: shellVariable(name, value, context.io.env),
  };
}

/** Where the value comes from can be told without the key for it, and with a wrong one. */
async function open(
  name: string,
  value: string,
  flags: SourceFlags,
  context: Context,
): Promise<{ value: JsonValue } | "undecrypted"> {
  const decrypt = await createDecrypt(flags, context, leaveEncrypted);
  try {
    const opened = decrypt(name, value);
    return opened === value ? "undecrypted" : { value: opened };
  } catch (error) {
    if (error instanceof DecryptionError) return "undecrypted";
    throw error;
  }
}
