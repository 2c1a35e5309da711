import { decryptWith } from "../decryption.js";
import type { Io } from "../io.js";
import { readSecret } from "../read-secret.js";
import { findSetting, type Layer } from "../settings.js";
import type { GetCommand } from "./get-command.js";
import type { Means } from "./open-environment.js";

/** What a place needs, with the key of encrypted values that the settings name. @throws UsageError when it can't be read */
export async function meansOf(layers: readonly Layer[], io: Io, getCommand: GetCommand): Promise<Means> {
  const setting = findSetting(layers, "encKey", "encKeyFile");
  const key = setting && (await readSecret(setting, io));
  return { key, decrypt: await decryptWith(key), getCommand };
}
