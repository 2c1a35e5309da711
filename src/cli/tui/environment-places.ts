import { basename, resolve } from "node:path";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { InvalidDataError } from "../../domain/errors.js";
import type { Place } from "../../tui/state/ports.js";
import type { Io } from "../output/io.js";
import type { LocalSettings } from "../settings/connection.js";
import { placeFlags } from "../settings/data-place.js";
import type { Settings } from "../settings/settings.js";
import type { LocalData } from "../sources/local-data.js";
import { chooseEnvironment } from "../sources/open-source.js";
import { getCommandWith, repeatedFlags } from "./get-command.js";
import { byGroup, openEnvironment, type Places, type WatchedData, watchData } from "./open-place.js";

/**
 * The environments of local data, which is opened once for all of them. Without `--env` the first one is to be opened.
 * Invalid data is a single place, which reports the error when it is opened.
 *
 * @param warn called when other users can change it
 * @throws InvalidDataError when it does not exist; NotFoundError, UsageError when the environment does not exist
 */
export async function environmentPlaces(
  { place, env }: LocalSettings,
  settings: Settings,
  io: Io,
  warn: (text: string) => void,
): Promise<Places> {
  const { localData } = await import("../sources/open-local.js");
  const local = await localData(place, io);
  for (const risk of local.risks()) warn(risk);
  let opening: Promise<WatchedData> | undefined;
  const openData = async () => {
    opening ??= watchData(local, io);
    try {
      return await opening;
    } catch (error) {
      // Data that is corrected can be opened then.
      opening = undefined;
      throw error;
    }
  };
  const close = async () => (await opening?.catch(() => undefined))?.store.close();
  type Choose = (all: readonly EnvironmentRecord[]) => EnvironmentRecord;
  const toPlace = (own: Pick<Place, "name" | "group" | "identity">, choose: Choose): Place => ({
    ...own,
    kind: "environment",
    detail: local.name,
    open: async () => {
      const data = await openData();
      const environment = choose(data.service.environments);
      const flags = [...placeFlags(place, (path) => resolve(io.cwd, path)), "--env", qualifiedName(environment)];
      const keyFlags = repeatedFlags(settings.layers.flags, ["encKeyFile"], io.cwd);
      const getCommand = getCommandWith([...flags, ...keyFlags]);
      // The data stays open for the other places.
      return openEnvironment(data, environment, settings, getCommand, async () => {}, io);
    },
  });
  const environments = await readEnvironments(openData, local);
  if (!environments) {
    const single = toPlace(
      { name: env ?? basename(local.name), group: local.name },
      (all) => (env === undefined && all[0]) || chooseEnvironment(all, env),
    );
    return { places: [single], place: 0, close };
  }
  const [first] = environments;
  const chosen = env === undefined && first ? first : await orClose(() => chooseEnvironment(environments, env), close);
  const isOneApplication = environments.every(({ application }) => application === first?.application);
  const placeOf = (environment: EnvironmentRecord) => {
    const identity = qualifiedName(environment);
    const isShort = isOneApplication && environment.application === first?.application;
    const name = isShort ? environment.name : identity;
    return toPlace({ name, group: environment.application, identity }, (all) => findEnvironment(all, identity));
  };
  const { store } = await openData();
  const follow: Places["follow"] = (listener) => {
    const known = new Set(environments.map(qualifiedName));
    return store.subscribe(() => {
      const added = store.snapshot.environments.filter((environment) => !known.has(qualifiedName(environment)));
      for (const environment of added) known.add(qualifiedName(environment));
      if (added.length > 0) listener(added.map(placeOf));
    });
  };
  return { ...byGroup(environments.map(placeOf), environments.indexOf(chosen)), follow, close };
}

/** Undefined when the data exists but is invalid: it may be corrected while the TUI is open. */
async function readEnvironments(open: () => Promise<WatchedData>, local: LocalData) {
  try {
    return (await open()).service.environments;
  } catch (error) {
    if (error instanceof InvalidDataError && local.exists()) return undefined;
    throw error;
  }
}

/** @throws what `choose` throws, after `close` */
async function orClose<T>(choose: () => T, close: () => Promise<void>): Promise<T> {
  try {
    return choose();
  } catch (error) {
    await close();
    throw error;
  }
}
