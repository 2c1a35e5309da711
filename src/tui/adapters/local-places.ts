import { resolve } from "node:path";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../model/environment.js";
import type { Data } from "../../store/data.js";
import type { EditableStore } from "../../store/store.js";
import { chooseEnvironment } from "../../tasks/data/choose-environments.js";
import { fileRisk } from "../../tasks/files/safe-files.js";
import {
  type DataLocation,
  type DataSettings,
  locationFlags,
} from "../../tasks/settings/connection.js";
import type { Settings } from "../../tasks/settings/resolve-settings.js";
import type { Caller } from "../../tasks/surroundings.js";
import type { Place, Places, PlacesChange } from "../state/ports.js";
import { getCommandWith, repeatedFlags } from "./get-command.js";
import {
  openData,
  openEnvironment,
  placeContext,
  placeFacts,
  type WatchedData,
} from "./open-place.js";

/**
 * The environments of local data, which is opened once for all of them. Without
 * `--env`, the first one is opened.
 *
 * @throws InvalidDataError; NotFoundError, UsageError when the environment does
 *   not exist
 */
export async function environmentPlaces(
  local: DataSettings,
  settings: Settings,
  caller: Caller,
): Promise<Places> {
  // If several applications have an environment with this name, the list of
  // places shows the others.
  const [data, chosen] = await openData(local, caller, (all, name) => {
    return all.find((each) => each.name === (name ?? each.name)) ?? chooseEnvironment(all, name);
  });
  warnOfRisk(local.location, caller);
  const { store, service } = data;
  const { environments: before } = store.data;
  const changes = placesChanges(store, placeMaker(data, local.location, settings, caller));
  return {
    places: changes().added,
    place: service.environments.indexOf(chosen),
    follow: (listener) => followEnvironments(store, before, () => listener(changes())),
    close: () => store.close(),
  };
}

/** Returns a function that makes the place of an environment of local data. */
function placeMaker(data: WatchedData, location: DataLocation, settings: Settings, caller: Caller) {
  const { surroundings } = caller;
  const flags = [
    ...locationFlags(location, (path) => resolve(surroundings.cwd(), path)),
    ...repeatedFlags(settings.given, ["encKeyFile"], surroundings),
  ];
  // The names of environments can be short if all are of one application.
  const applications = new Set(data.store.data.environments.map((each) => each.application));
  return (environment: EnvironmentRecord): Place => {
    const { application: group, name } = environment;
    const identity = qualifiedName(environment);
    return {
      group,
      kind: "environment",
      location: data.name,
      ...placeFacts(data, environment),
      name: applications.size === 1 && applications.has(group) ? name : identity,
      open: async () => {
        const getCommand = getCommandWith([...flags, "--env", identity]);
        const access = await placeContext(settings, getCommand, caller);
        const present = findEnvironment(data.service.environments, identity);
        // The data stays open for the other places.
        return openEnvironment(data, present, access, async () => {});
      },
    };
  };
}

/**
 * Returns a function that finds the places added since its last call, and all
 * that are gone.
 */
function placesChanges(store: EditableStore, placeOf: (environment: EnvironmentRecord) => Place) {
  const places = new Map<string, Place>();
  return (): PlacesChange => {
    const present = new Map(store.data.environments.map((each) => [qualifiedName(each), each]));
    const added = [...present].flatMap(([name, each]) => (places.has(name) ? [] : placeOf(each)));
    for (const place of added) places.set(place.identity ?? "", place);
    return {
      added,
      gone: [...places].flatMap(([name, place]) => (present.has(name) ? [] : place)),
    };
  };
}

function followEnvironments(
  store: EditableStore,
  before: Data["environments"],
  listener: () => void,
): void {
  let last = before;
  store.subscribe(() => {
    const { environments } = store.data;
    if (environments !== last) listener();
    last = environments;
  });
}

/**
 * Warns of a file that other users can change: it may be changed later, too.
 */
function warnOfRisk(place: DataLocation, { surroundings, warn }: Caller): void {
  const risk = place.kind === "file" && fileRisk(place.path, surroundings);
  if (risk) warn(risk.message);
}
