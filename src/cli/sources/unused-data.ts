import { existsSync } from "node:fs";
import { shortestName } from "../../domain/environment.js";
import { UnauthorizedError } from "../../domain/errors.js";
import { printable } from "../../domain/printable.js";
import { shellWord } from "../../domain/shell.js";
import type { Data } from "../../store/data.js";
import { missingSecretError } from "../settings/secrets.js";
import { type GivenSettings, hasSetting } from "../settings/setting.js";
import { DEFAULT_DATA_FILE, SOURCE_SETTINGS } from "../settings/setting-table.js";

/** Whether nothing says where to read, there are no credentials either, and a data file is in the current folder. */
export function isNothingConfigured(given: GivenSettings): boolean {
  return (
    !hasSetting(given, ...SOURCE_SETTINGS, "apiKey", "apiSecret", "apiSecretFile") && existsSync(DEFAULT_DATA_FILE)
  );
}

/** The flags that open the data file in the current folder; undefined if something is configured, or it can't be read. */
export async function unusedDataFlags(given: GivenSettings): Promise<string | undefined> {
  if (!isNothingConfigured(given)) return undefined;
  const environments = await readEnvironments();
  if (!environments) return undefined;
  const [first] = hasSetting(given, "env") || environments.length < 2 ? [] : environments;
  const environment = first && shortestName(first, environments);
  return `--data ${DEFAULT_DATA_FILE}${environment === undefined ? "" : ` --env ${shellWord(printable(environment))}`}`;
}

async function readEnvironments(): Promise<Data["environments"] | undefined> {
  const { DataFileAdapter } = await import("../../store/data-file.js");
  const data = await new DataFileAdapter(DEFAULT_DATA_FILE).read().catch(() => undefined);
  return data?.environments;
}

/** That a server was to be read without a secret. Names what could be read instead. */
export async function noSecretError(given: GivenSettings): Promise<UnauthorizedError> {
  const flags = await unusedDataFlags(given);
  if (flags === undefined) return missingSecretError();
  return new UnauthorizedError(`no server or data file is configured; to read the file in this folder, add ${flags}`);
}
