import { basename, resolve } from "node:path";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { InvalidDataError } from "../../domain/errors.js";
import type { EditableStore } from "../../store/store.js";
import type { Place, PlacesChange } from "../../tui/state/ports.js";
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
  const shared = sharedData(local, io);
  const { close } = shared;
  const open = placeOpener(shared, place, settings, io);
  const listed = ({ store, service: { environments } }: WatchedData): Listed => {
    const [first] = environments;
    const chosen = env === undefined && first ? first : chooseEnvironment(environments, env);
    const nameOf = shortNames(environments);
    const placeOf = (environment: EnvironmentRecord): Place => {
      const identity = qualifiedName(environment);
      const own = { name: nameOf(environment), group: environment.application, identity };
      return { ...own, kind: "environment", detail: local.name, open: open(identity) };
    };
    const places = environments.map(placeOf);
    return {
      ...byGroup(places, environments.indexOf(chosen)),
      follow: (listener) => followEnvironments(store, places, placeOf, listener),
    };
  };
  const data = await readable(shared.open, local);
  if (data) return { ...(await orClose(() => listed(data), close)), close };
  const own = { name: env ?? basename(local.name), group: local.name, detail: local.name };
  return { ...invalidPlace(own, async () => listed(await shared.open())), close };
}

type Listed = Pick<Places, "places" | "place"> & Required<Pick<Places, "follow">>;

/** The place of invalid data. The environments replace it as soon as the data can be read. */
function invalidPlace(own: Pick<Place, "name" | "group" | "detail">, list: () => Promise<Listed>): Listed {
  let listener: (change: PlacesChange) => void = () => {};
  let unfollow: (() => void) | undefined;
  const invalid: Place = {
    ...own,
    kind: "environment",
    open: async (onRateLimit) => {
      const { places, place, follow } = await list();
      const instead = places[place] as Place;
      if (!unfollow) listener({ added: places, gone: [invalid], instead });
      unfollow ??= follow(listener);
      return instead.open(onRateLimit);
    },
  };
  return {
    places: [invalid],
    place: 0,
    follow: (each) => {
      listener = each;
      return () => unfollow?.();
    },
  };
}

interface SharedData {
  /** Opens the data, unless that was done before. @throws InvalidDataError */
  open(): Promise<WatchedData>;
  close(): Promise<void>;
}

function sharedData(local: LocalData, io: Io): SharedData {
  let opening: Promise<WatchedData> | undefined;
  return {
    open: async () => {
      opening ??= watchData(local, io);
      try {
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
      const keyFlags = repeatedFlags(settings.layers.flags, ["encKeyFile"], io.cwd);
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

/** Calls `listener` when environments are added or removed. Returns a function that ends this. */
function followEnvironments(
  store: EditableStore,
  places: readonly Place[],
  placeOf: (environment: EnvironmentRecord) => Place,
  listener: (change: PlacesChange) => void,
): () => void {
  /** By the whole names of their environments. */
  const known = new Map(places.map((place) => [place.identity ?? "", place]));
  let before: readonly EnvironmentRecord[] | undefined;
  return store.subscribe(() => {
    const { environments } = store.snapshot;
    if (environments === before) return;
    before = environments;
    const names = new Set(environments.map(qualifiedName));
    const added = environments.filter((environment) => !known.has(qualifiedName(environment))).map(placeOf);
    for (const place of added) known.set(place.identity ?? "", place);
    listener({ added, gone: [...known].flatMap(([name, place]) => (names.has(name) ? [] : [place])) });
  });
}

/** Undefined when the data exists but is invalid: it may be corrected while the TUI is open. */
async function readable(open: () => Promise<WatchedData>, local: LocalData) {
  try {
    return await open();
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
