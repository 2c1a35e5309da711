import { DecryptionError } from "../../../domain/errors.js";
import type { VariableSource } from "../../../domain/source.js";
import { isEncrypted, type JsonValue } from "../../../domain/variable.js";
import type { Context } from "../../output/context.js";
import { type InspectedSetting, inspectLayers } from "../../settings/inspect-settings.js";
import type { SettingName } from "../../settings/setting-names.js";
import type { Settings } from "../../settings/settings.js";
import { createDecrypt, leaveEncrypted } from "../../sources/decryption.js";
import { type NamedRecord, readRecord } from "../../sources/reading.js";
import { type ShellVariable, shellVariable } from "./shell-variable.js";

export interface Explanation {
  record: NamedRecord;
  /** Undefined if it has no value in this environment. */
  value: { value: JsonValue } | "undecrypted" | undefined;
  encrypted: boolean;
  /** The settings that select its source. */
  settings: readonly InspectedSetting[];
  shell: ShellVariable;
}

/** The settings that select the server or the file, and its environment. */
const REMOTE: readonly SettingName[] = ["profile", "url", "apiKey", "apiSecret", "apiSecretFile"];
const LOCAL: readonly SettingName[] = ["profile", "data", "env"];

/** @throws NotFoundError, with a suggestion, if no variable has that name; what reading throws */
export async function explain(
  name: string,
  source: VariableSource,
  settings: Settings,
  context: Context,
): Promise<Explanation> {
  const record = await source.readSnapshot((snapshot) => readRecord(name, snapshot));
  const stored = record.value?.content;
  const value = stored && isEncrypted(stored.value) ? await open(name, stored.value, settings) : stored;
  const inspected = inspectLayers(settings.layers);
  const relevant = inspected.some((setting) => setting.name === "data") ? LOCAL : REMOTE;
  return {
    record,
    value,
    encrypted: isEncrypted(stored?.value),
    settings: inspected.filter((setting) => relevant.includes(setting.name)),
    shell: shellVariable(name, value, context.io.env),
  };
}

/** The source of a value is known without the key for it, or with a wrong one. */
async function open(name: string, value: string, settings: Settings): Promise<{ value: JsonValue } | "undecrypted"> {
  const decrypt = await createDecrypt(settings, leaveEncrypted);
  try {
    const opened = decrypt(name, value);
    return opened === value ? "undecrypted" : { value: opened };
  } catch (error) {
    if (error instanceof DecryptionError) return "undecrypted";
    throw error;
  }
}
