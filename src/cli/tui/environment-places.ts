import { resolve } from "node:path";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import type { FirstSteps, Place, PlacesChange } from "../../tui/state/ports.js";
import { chooseEnvironment } from "../editing/open-data.js";
import type { Io } from "../output/io.js";
import { type LocalSettings, placeFlags } from "../settings/connection.js";
import type { Settings } from "../settings/resolve-settings.js";
import { accessWith, getCommandWith, openData, openEnvironment, repeatedFlags } from "./open-place.js";

/** The places of the left panel. */
export interface Places {
  readonly places: readonly Place[];
  /** Index of the one to open. */
  readonly place: number;
  /** What to offer where nothing is configured. */
  readonly first?: Omit<FirstSteps, "createExample">;
  /** Calls `listener` when places may have been added or removed, until they are closed. */
  follow?(listener: (change: PlacesChange) => void): void;
  /** Releases the shared resources of the places. */
  close(): Promise<void>;
}

/**
 * The environments of local data, which is opened once for all of them. Without `--env` the first one is to be opened.
 *
 * @param warn called when other users can change it
 * @throws InvalidDataError; NotFoundError, UsageError when the environment does not exist
 */
export async function environmentPlaces(
  local: LocalSettings,
  settings: Settings,
  io: Io,
  warn: (text: string) => void,
): Promise<Places> {
  const [data, chosen] = await openData(local, io, (all, name) => {
    return (name === undefined && all[0]) || chooseEnvironment(all, name);
  });
  const { name: detail, store, service } = data;
  for (const risk of data.risks()) warn(risk);
  const isSealed = local.place.sealKey !== undefined;
  const keyFlags = repeatedFlags(settings.given, ["encKeyFile"], io);
  const flags = [...placeFlags(local.place, (path) => resolve(io.cwd, path)), ...keyFlags];
  const isOnly = service.environments.every(({ application }) => application === chosen.application);
  const placeOf = (environment: EnvironmentRecord): Place => {
    const { application: group, keys = [] } = environment;
    const identity = qualifiedName(environment);
    return {
      ...{ group, identity, kind: "environment", detail, isSealed },
      name: isOnly && group === chosen.application ? environment.name : identity,
      keys: keys.map(({ name, only }) => ({ name, ...(only && { only }) })),
      open: async () => {
        const access = await accessWith(settings, getCommandWith([...flags, "--env", identity]), io);
        // The data stays open for the other places.
        return openEnvironment(data, findEnvironment(service.environments, identity), access, async () => {});
      },
    };
  };
  const known = new Map<string, Place>();
  const look = (): PlacesChange => {
    const { environments } = store.snapshot;
    const added = environments.filter((each) => !known.has(qualifiedName(each))).map(placeOf);
    for (const place of added) known.set(place.identity ?? "", place);
    const names = new Set(environments.map(qualifiedName));
    return { added, gone: [...known].flatMap(([name, place]) => (names.has(name) ? [] : [place])) };
  };
  const { added: places } = look();
  let before = store.snapshot.environments;
  const follow = (listener: (change: PlacesChange) => void) => {
    store.subscribe(() => {
      const { environments } = store.snapshot;
      if (environments !== before) listener(look());
      before = environments;
    });
  };
  return { places, place: service.environments.indexOf(chosen), follow, close: () => store.close() };
}
