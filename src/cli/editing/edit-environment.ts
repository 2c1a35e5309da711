import {
  type Environment,
  type EnvironmentRecord,
  findEnvironment,
  type KeyPair,
  LABEL_PATTERN,
  LABEL_RULE,
} from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { Data } from "../../store/data.js";
import type { RotationTimes } from "../../store/edit-environments.js";
import type { Context } from "../output/context.js";
import type { Settings } from "../settings/settings.js";
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

export interface IssuedCredentials extends Omit<Environment, "id"> {
  readonly pair: KeyPair;
}

/** @param text `staging`, or `shop/staging` for the application shop @throws UsageError */
export function parseEnvironmentName(text: string): Omit<Environment, "id"> {
  const [name = "", application = "default", ...rest] = text.split("/").reverse();
  if (rest.length > 0 || ![name, application].every((label) => LABEL_PATTERN.test(label))) {
    throw new UsageError(`the name must be like staging or shop/staging, each part ${LABEL_RULE}`);
  }
  return { application, name };
}

/** Changes data in one atomic write. */
type Update = (change: (data: Data) => Data) => Promise<unknown>;

/** Adds an environment with new credentials. @throws UsageError when it exists */
export async function addWithCredentials(update: Update, added: Omit<Environment, "id">): Promise<IssuedCredentials> {
  const { addEnvironment } = await import("../../store/edit-environments.js");
  const { freshCredentials } = await import("../../store/starter-data.js");
  const pair = freshCredentials();
  await update((data) => addEnvironment(data, added, pair));
  return { ...added, pair };
}

/** Gives an environment new credentials. @throws NotFoundError; UsageError for an ambiguous name */
export async function rotateCredentials(
  update: Update,
  text: string,
  times: RotationTimes,
): Promise<IssuedCredentials> {
  const { rotateEnvironment } = await import("../../store/edit-environments.js");
  const { freshCredentials } = await import("../../store/starter-data.js");
  const pair = freshCredentials();
  let environment: Omit<Environment, "id"> = { application: "", name: text };
  await update((data) => {
    environment = findEnvironment(data.environments, text);
    return rotateEnvironment(data, text, pair, times);
  });
  const { application, name } = environment;
  return { application, name, pair };
}
