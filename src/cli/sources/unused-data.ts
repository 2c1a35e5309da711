import { existsSync } from "node:fs";
import { shortestName } from "../../domain/environment.js";
import { UnauthorizedError } from "../../domain/errors.js";
import { printable } from "../../domain/printable.js";
import { shellWord } from "../../domain/shell.js";
import type { Data } from "../../store/data.js";
import { hasSetting, type Layers } from "../settings/layers.js";
import { missingSecretError } from "../settings/secrets.js";
import { DEFAULT_DATA_FILE, SOURCE_SETTINGS } from "../settings/setting-names.js";

/** Whether nothing says where to read, there are no credentials either, and a data file is in the current folder. */
export function isNothingConfigured(layers: Layers): boolean {
  return (
    !hasSetting(layers, ...SOURCE_SETTINGS, "apiKey", "apiSecret", "apiSecretFile") && existsSync(DEFAULT_DATA_FILE)
  );
}

/** The flags that open the data file in the current folder; undefined if something is configured, or it can't be read. */
export async function unusedDataFlags(layers: Layers): Promise<string | undefined> {
  if (!isNothingConfigured(layers)) return undefined;
  const environments = await readEnvironments();
  if (!environments) return undefined;
  const [first] = hasSetting(layers, "env") || environments.length < 2 ? [] : environments;
  const environment = first && shortestName(first, environments);
  return `--data ${DEFAULT_DATA_FILE}${environment === undefined ? "" : ` --env ${shellWord(printable(environment))}`}`;
}

async function readEnvironments(): Promise<Data["environments"] | undefined> {
  const { DataFileAdapter } = await import("../../store/data-file.js");
  const data = await new DataFileAdapter(DEFAULT_DATA_FILE).read().catch(() => undefined);
  return data?.environments;
}

/** That a server was to be read without a secret. Names what could be read instead. */
export async function noSecretError(layers: Layers): Promise<UnauthorizedError> {
  const flags = await unusedDataFlags(layers);
  if (flags === undefined) return missingSecretError();
  return new UnauthorizedError(`no server or data file is configured; to read the file in this folder, add ${flags}`);
}
