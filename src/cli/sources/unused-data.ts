import { existsSync } from "node:fs";
import { shortestName } from "../../domain/environment.js";
import { UnauthorizedError } from "../../domain/errors.js";
import { printable } from "../../domain/printable.js";
import { shellWord } from "../output/escape.js";
import { hasSetting, type Layers } from "../settings/layers.js";
import { missingSecretError } from "../settings/secrets.js";
import { DEFAULT_DATA_FILE, SOURCE_SETTINGS } from "../settings/setting-names.js";

/** Whether nothing says where to read, and a data file is in the current folder. */
function isDataUnused(layers: Layers): boolean {
  return !hasSetting(layers, ...SOURCE_SETTINGS) && existsSync(DEFAULT_DATA_FILE);
}

/** Whether there are no settings for a server either. */
export function isNothingConfigured(layers: Layers): boolean {
  return isDataUnused(layers) && !hasSetting(layers, "apiKey", "apiSecret", "apiSecretFile");
}

/** The flags that open the data file in the current folder; undefined if there is none, or a setting says where to read. */
export async function unusedDataFlags(layers: Layers): Promise<string | undefined> {
  if (!isDataUnused(layers)) return undefined;
  const environment = hasSetting(layers, "env") ? undefined : await firstEnvironment();
  return `--data ${DEFAULT_DATA_FILE}${environment === undefined ? "" : ` --env ${shellWord(printable(environment))}`}`;
}

/** The name of one of several environments; undefined if there is no need for it, or the file can't be read. */
async function firstEnvironment(): Promise<string | undefined> {
  const { DataFileAdapter } = await import("../../store/data-file.js");
  const { environments } = await new DataFileAdapter(DEFAULT_DATA_FILE).read().catch(() => ({ environments: [] }));
  const [first] = environments;
  return first && environments.length > 1 ? shortestName(first, environments) : undefined;
}

/** That a server was to be read without a secret. Names what could be read instead. */
export async function noSecretError(layers: Layers): Promise<UnauthorizedError> {
  if (!isNothingConfigured(layers)) return missingSecretError();
  const flags = await unusedDataFlags(layers);
  return new UnauthorizedError(`no server or data file is configured; to read the file in this folder, add ${flags}`);
}
