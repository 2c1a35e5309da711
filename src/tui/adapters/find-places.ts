import { existsSync } from "node:fs";
import { UsageError } from "../../kit/text/errors.js";
import { DEFAULT_URL } from "../../model/defaults.js";
import {
  type Connection,
  connectionOf,
  parseDataLocation,
} from "../../tasks/settings/connection.js";
import {
  type ListedProfile,
  listedProfile,
  readUsableProfiles,
} from "../../tasks/settings/profiles.js";
import {
  readProfile,
  readProject,
  readSettings,
  Settings,
} from "../../tasks/settings/resolve-settings.js";
import type { ServerSettings } from "../../tasks/settings/server-settings.js";
import {
  DEFAULT_DATA_FILE,
  type GivenFlags,
  SETTINGS,
  type Setting,
  type SettingList,
  type SettingName,
} from "../../tasks/settings/setting-table.js";
import { isNothingConfigured } from "../../tasks/sources/open-source.js";
import type { Caller } from "../../tasks/surroundings.js";
import type { Place, Places, PlacesChange } from "../state/ports.js";
import { getCommandWith, repeatedFlags } from "./get-command.js";
import { pathOf } from "./import-export.js";
import { environmentPlaces } from "./local-places.js";
import { placeOpener } from "./open-place.js";

/**
 * The environments of the data file or store if the settings select one,
 * otherwise the selected server, if any, and the profiles. A broken profile is
 * also a place, and reports its error when it is opened. If nothing is
 * configured, the user can open a data file.
 *
 * @throws UsageError for invalid settings; NotFoundError, InvalidDataError for
 *   missing or invalid data
 */
export async function findPlaces(flags: GivenFlags, caller: Caller): Promise<Places> {
  const { settings, connection, broken } = readUsable(flags, caller);
  if (connection.kind === "server") {
    const remote = serverPlaces(connection, { flags, settings, caller }, broken);
    const isFirst =
      isNothingConfigured(settings.given) && remote.places.every(({ kind }) => kind === "server");
    return isFirst ? firstPlaces(remote, settings, caller) : remote;
  }
  if (broken) throw broken;
  return environmentPlaces(connection, settings, caller);
}

/**
 * The default server, until the user opens a data file, whose environments
 * replace it.
 */
function firstPlaces(remote: Places, settings: Settings, caller: Caller): Places {
  const { surroundings } = caller;
  let opened: Places | undefined;
  let tell: (change: PlacesChange) => void = () => {};
  const openData = async (path: string) => {
    const notes: string[] = [];
    const warn = (text: string) => void notes.push(text);
    const location = parseDataLocation(pathOf({ path }, surroundings), "the path", settings);
    const local = { kind: "data", location, env: undefined } as const;
    opened = await environmentPlaces(local, settings, { ...caller, warn });
    tell({ added: opened.places, gone: remote.places });
    opened.follow?.(({ added, gone }) => tell({ added, gone: [...remote.places, ...gone] }));
    return { place: opened.places[opened.place] as Place, notes };
  };
  const hasData = existsSync(pathOf({ path: DEFAULT_DATA_FILE }, surroundings));
  return {
    ...remote,
    welcome: { dataFile: DEFAULT_DATA_FILE, hasData, openData },
    follow: (listener) => {
      tell = listener;
    },
    close: async () => opened?.close(),
  };
}

/** Reads the settings, without the chosen profile if it is broken. */
function readUsable(
  flags: GivenFlags,
  caller: Caller,
): { settings: Settings; connection: Connection; broken?: UsageError } {
  try {
    const settings = readSettings(flags, caller);
    return { settings, connection: connectionOf(settings) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // A mistake outside the profile throws again here.
    const settings = readSettings(flags, caller, { files: [readProject] });
    return { settings, connection: connectionOf(settings), broken: error };
  }
}

/** The settings that select an environment of a server. */
const SERVER_SETTINGS: readonly SettingName[] = [
  ...(["url", "data", "store"] as const),
  ...(["apiKey", "apiSecret", "apiSecretFile", "auth"] as const),
];

const TLS_FILES = ["caFile", "clientCert", "clientKey"] as const;

/** The settings that apply to every place. */
const COMMON_SETTINGS: readonly SettingName[] = ["timeout", "encKey", "encKeyFile"];

interface Start {
  readonly flags: GivenFlags;
  readonly settings: Settings;
  readonly caller: Caller;
}

/**
 * The user's profiles, after a server selected by flags, variables or
 * `.appvars.json`. If there is nothing else, the default server.
 *
 * @param broken the error of the chosen profile, if it can't be read
 * @throws UsageError when the profiles can't be read, or the chosen one does
 *   not exist
 */
function serverPlaces(connection: ServerSettings, start: Start, broken?: UsageError): Places {
  const { settings, caller } = start;
  const isServerNamed = settings.given.some(
    ({ name, origin }) => origin !== "profile" && SERVER_SETTINGS.includes(name),
  );
  const { profiles, current } = readUsableProfiles(caller, isServerNamed);
  const names = Object.keys(profiles);
  const chosen = isServerNamed ? undefined : (settings.find("profile")?.text ?? current);
  if (broken && (chosen === undefined || !names.includes(chosen))) throw broken;
  const places = names.map((name) => {
    return profilePlace(listedProfile(name, name === chosen, profiles[name] ?? {}), start);
  });
  const close = async () => {};
  if (isServerNamed || names.length === 0)
    return { places: [serverPlace(connection, start), ...places], place: 0, close };
  return { places, place: chosen === undefined ? 0 : names.indexOf(chosen), close };
}

function profilePlace(profile: ListedProfile, start: Start): Place {
  const { name, current, data, store, url, env, api_key: apiKey } = profile;
  const { flags, settings, caller } = start;
  const read = () =>
    current
      ? readSettings({ ...flags, profile: name }, caller)
      : ownSettings(name, settings.given, caller);
  const isLocal = data !== undefined || store !== undefined;
  const location = data ?? store ?? url ?? DEFAULT_URL;
  // A server does not say which environment it answers for.
  const identity = isLocal ? env : apiKey && `key ${apiKey}`;
  const open = placeOpener(read, getCommandOfProfile(profile, start), caller);
  return { name, group: location, identity, kind: "profile", location, isServer: !isLocal, open };
}

/** The settings of a server that `appvars get` repeats as flags. */
const REPEATED: readonly SettingName[] = [
  ...(["apiKey", "apiSecretFile", "auth", "insecure"] as const),
  ...TLS_FILES,
  "encKeyFile",
];

function serverPlace({ url, apiKey }: ServerSettings, { flags, settings, caller }: Start): Place {
  const isOfProject = settings.find("url")?.origin === "project";
  // Credentials in .appvars.json are only for the server that it names.
  const origins = isOfProject ? (["flag", "project"] as const) : undefined;
  const repeated = repeatedFlags(settings.given, REPEATED, caller.surroundings, origins);
  const getCommand = getCommandWith(["--url", url, ...repeated]);
  return {
    kind: "server",
    group: url,
    location: url,
    isServer: true,
    name: isOfProject ? ".appvars.json" : new URL(url).host,
    identity: apiKey && `key ${apiKey}`,
    open: placeOpener(() => readSettings(flags, caller), getCommand, caller),
  };
}

function ownSettings(profile: string, given: SettingList, caller: Caller): Settings {
  const common = given.filter(
    ({ name, origin }) =>
      COMMON_SETTINGS.includes(name) && (origin === "flag" || origin === "variable"),
  );
  const chosen = { name: "profile", text: profile, from: "--profile", origin: "flag" } as const;
  const own = readProfile(caller, new Settings([chosen], caller));
  return new Settings([...common, ...own], caller);
}

/** Makes commands that unset variables which would override the profile. */
function getCommandOfProfile(
  { name: profile, store, current }: ListedProfile,
  { settings: { given }, caller }: Start,
) {
  const repeated = repeatedFlags(
    given,
    current ? [...TLS_FILES, "encKeyFile"] : ["encKeyFile"],
    caller.surroundings,
  );
  const isUnset = ({ name, origin }: Setting) =>
    origin === "variable" &&
    (SERVER_SETTINGS.includes(name) || (store !== undefined && SETTINGS[name].isOfStore));
  const unset = given.filter(isUnset).map(({ from }) => from);
  return getCommandWith(["--profile", profile, ...repeated], unset);
}
