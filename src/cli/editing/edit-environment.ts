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
import type { EditableStore } from "../../store/store.js";
import type { Context } from "../output/context.js";
import type { Settings } from "../settings/settings.js";
import { chooseEnvironment, withStore } from "./open-data.js";

/**
 * Changes one environment in one atomic write. Resolves to the environment.
 *
 * @param change gets the data at that time, and the environment that `--env` names
 * @throws InvalidDataError, NotFoundError, UsageError; nothing is changed then
 */
export function editEnvironment(
  settings: Settings,
  context: Context,
  change: (data: Data, environment: EnvironmentRecord) => Data,
): Promise<EnvironmentRecord> {
  return withStore(settings.dataPlace, context, "change", async (store) => {
    await store.update((data) => change(data, environmentIn(data, settings)));
    return environmentIn(store.snapshot, settings);
  });
}

export function readEnvironment(
  settings: Settings,
  context: Context,
): Promise<{ data: Data; environment: EnvironmentRecord }> {
  return withStore(settings.dataPlace, context, "read", ({ snapshot }) => ({
    data: snapshot,
    environment: environmentIn(snapshot, settings),
  }));
}

function environmentIn({ environments }: Data, settings: Settings): EnvironmentRecord {
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

/** Adds an environment with new credentials. @throws UsageError when it exists */
export async function addWithCredentials(
  store: EditableStore,
  added: Omit<Environment, "id">,
): Promise<IssuedCredentials> {
  const { addEnvironment } = await import("../../store/edit-environments.js");
  const { freshCredentials } = await import("../../store/starter-data.js");
  const pair = freshCredentials();
  await store.update((data) => addEnvironment(data, added, pair));
  return { ...added, pair };
}

/** Gives an environment new credentials. @throws NotFoundError; UsageError for an ambiguous name */
export async function rotateCredentials(
  store: EditableStore,
  text: string,
  times: RotationTimes,
): Promise<IssuedCredentials> {
  const { rotateEnvironment } = await import("../../store/edit-environments.js");
  const { freshCredentials } = await import("../../store/starter-data.js");
  const pair = freshCredentials();
  await store.update((data) => rotateEnvironment(data, text, pair, times));
  const { application, name } = findEnvironment(store.snapshot.environments, text);
  return { application, name, pair };
}
