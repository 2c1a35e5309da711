import {
  type Environment,
  type EnvironmentRecord,
  type KeyPair,
  LABEL_PATTERN,
  LABEL_RULE,
} from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { Data } from "../../store/data.js";
import type { Context } from "../output/context.js";
import type { Settings } from "../settings/resolve-settings.js";
import { chooseEnvironment, updateData } from "./open-data.js";

/**
 * Changes one environment in one atomic write. Resolves to the environment.
 *
 * @param change gets the data at that time, and the environment that `--env` names
 * @throws InvalidDataError, NotFoundError, UsageError; nothing is changed then
 */
export async function editEnvironment(
  settings: Settings,
  context: Context,
  change: (data: Data, environment: EnvironmentRecord) => Data,
): Promise<EnvironmentRecord> {
  const edit = (data: Data) => change(data, environmentIn(data, settings));
  return environmentIn(await updateData(settings.dataPlace, context, edit), settings);
}

/** The environment of the data that `--env` names. */
export function environmentIn({ environments }: Data, settings: Settings): EnvironmentRecord {
  return chooseEnvironment(environments, settings.find("env")?.text);
}

/** @param text `staging`, or `shop/staging` for the application shop @throws UsageError */
export function parseEnvironmentName(text: string): Omit<Environment, "id"> {
  const [name = "", application = "default", ...rest] = text.split("/").reverse();
  if (rest.length > 0 || ![name, application].every((label) => LABEL_PATTERN.test(label))) {
    throw new UsageError(`the name must be like staging or shop/staging, each part ${LABEL_RULE}`);
  }
  return { application, name };
}

/**
 * Creates credentials, and gives them to an environment in one atomic write. Resolves to the environment.
 *
 * @param change gives the pair to an environment of the data
 * @throws as `update` and `change`
 */
export async function issueCredentials(
  update: (change: (data: Data) => Data) => Promise<unknown>,
  change: (data: Data, pair: KeyPair) => Data,
): Promise<EnvironmentRecord> {
  const pair = (await import("../../store/starter-data.js")).freshCredentials();
  let issued: EnvironmentRecord = { id: 0, application: "", name: "", ...pair };
  await update((data) => {
    const changed = change(data, pair);
    issued = changed.environments.find(({ api_key }) => api_key === pair.api_key) ?? issued;
    return changed;
  });
  return issued;
}
