import { basename, resolve } from "node:path";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { InvalidDataError } from "../../domain/errors.js";
import type { Place, PlacesChange } from "../../tui/state/ports.js";
import type { LocalData } from "../editing/local-data.js";
import { chooseEnvironment } from "../editing/open-data.js";
import type { Io } from "../output/io.js";
import { type LocalSettings, placeFlags } from "../settings/connection.js";
import type { Settings } from "../settings/resolve-settings.js";
import {
  byGroup,
  getCommandWith,
  isMissingKey,
  openEnvironment,
  type Places,
  repeatedFlags,
  type WatchedData,
  watchData,
} from "./open-place.js";

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
  const { localData } = await import("../editing/open-data.js");
  const local = await localData(place, io);
  for (const risk of local.risks()) warn(risk);
  const shared = sharedData(local, io);
  const { close } = shared;
  const open = placeOpener(shared, place, settings, io);
  const choose = (all: Environments) => (env === undefined && all[0]) || chooseEnvironment(all, env);
  const placesAmong = (listed: Environments) => {
    const nameOf = shortNames(listed);
    return (environment: EnvironmentRecord): Place => {
      const identity = qualifiedName(environment);
      const { application, keys = [] } = environment;
      const about = {
        name: nameOf(environment),
        group: application,
        identity,
        isSealed: place.sealKey !== undefined,
        keys: keys.map(({ name, only }) => ({ name, only })),
      };
      return { ...about, kind: "environment", detail: local.name, open: open(identity) };
    };
  };
  const invalid: Place = {
    ...{ name: env ?? basename(local.name), group: local.name, kind: "environment", detail: local.name },
    // Once it is repaired, its environments are listed, and the one that this opens is among them.
    open: async (onRateLimit) => open(qualifiedName(choose((await shared.open()).service.environments)))(onRateLimit),
  };
  const listing = async () => {
    const { environments } = (await shared.open()).service;
    return byGroup(environments.map(placesAmong(environments)), environments.indexOf(choose(environments)));
  };
  const listed = await listing().catch(async (error: unknown) => {
    // Invalid data may be corrected while the TUI is open.
    if (error instanceof InvalidDataError && local.exists())
      return { places: [{ ...invalid, isSealed: isMissingKey(error) }], place: 0 };
    await close();
    throw error;
  });
  return { ...listed, follow: (each) => followEnvironments(shared.opened, listed.places, placesAmong, each), close };
}

type Environments = readonly EnvironmentRecord[];

interface SharedData {
  /** The data, as soon as it could be opened. */
  readonly opened: Promise<WatchedData>;
  /** Opens the data, unless that was done before. @throws InvalidDataError */
  open(): Promise<WatchedData>;
  close(): Promise<void>;
}

function sharedData(local: LocalData, io: Io): SharedData {
  let opening: Promise<WatchedData> | undefined;
  let tell: (data: WatchedData) => void = () => {};
  const opened = new Promise<WatchedData>((resolve) => {
    tell = resolve;
  });
  return {
    opened,
    open: async () => {
      opening ??= watchData(local, io);
      try {
        tell(await opening);
        return await opening;
      } catch (error) {
        // Data that is corrected can be opened then.
        opening = undefined;
        throw error;
      }
    },
    close: async () => (await opening?.catch(() => undefined))?.store.close(),
  };
}

/** Returns a function that makes `open` of the place of an environment. @param identity its whole name */
function placeOpener(shared: SharedData, place: LocalSettings["place"], settings: Settings, io: Io) {
  return (identity: string): Place["open"] =>
    async () => {
      const data = await shared.open();
      const environment = findEnvironment(data.service.environments, identity);
      const flags = [...placeFlags(place, (path) => resolve(io.cwd, path)), "--env", identity];
      const keyFlags = repeatedFlags(settings.given, ["encKeyFile"], io.cwd);
      const getCommand = getCommandWith([...flags, ...keyFlags]);
      // The data stays open for the other places.
      return openEnvironment(data, environment, settings, getCommand, async () => {}, io);
    };
}

/** Names of environments, without their application if it is the only one. */
function shortNames(environments: readonly EnvironmentRecord[]): (environment: EnvironmentRecord) => string {
  const [first] = environments;
  const isOnly = environments.every(({ application }) => application === first?.application);
  return (environment) => {
    return isOnly && environment.application === first?.application ? environment.name : qualifiedName(environment);
  };
}

/** Calls `listener` when environments are added or removed, and once the data is open. Returns a function that ends this. */
function followEnvironments(
  opened: Promise<WatchedData>,
  places: readonly Place[],
  placesAmong: (listed: Environments) => (environment: EnvironmentRecord) => Place,
  listener: (change: PlacesChange) => void,
): () => void {
  /** By the whole names of their environments. */
  const known = new Map(places.map((place) => [place.identity ?? "", place]));
  let before: Environments | undefined;
  const following = opened.then(({ store }) => {
    const placeOf = placesAmong(store.snapshot.environments);
    const look = () => {
      const { environments } = store.snapshot;
      if (environments === before) return;
      before = environments;
      const names = new Set(environments.map(qualifiedName));
      const added = environments.filter((environment) => !known.has(qualifiedName(environment))).map(placeOf);
      for (const place of added) known.set(place.identity ?? "", place);
      listener({ added, gone: [...known].flatMap(([name, place]) => (names.has(name) ? [] : [place])) });
    };
    look();
    return store.subscribe(look);
  });
  return () => void following.then((unfollow) => unfollow());
}
