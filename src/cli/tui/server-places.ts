import type { UsageError } from "../../domain/errors.js";
import type { Place } from "../../tui/ports.js";
import type { Io } from "../io.js";
import { layersOf } from "../layers.js";
import { listedProfile } from "../listed-profile.js";
import { profilesPath, readProfile, readProfiles } from "../profiles.js";
import { findSetting, type Layer, placeOf, type SettingName, type SourceFlags } from "../settings.js";
import { DEFAULT_URL, type RemoteSettings } from "../source-settings.js";
import { getCommandWith, repeatedFlags } from "./get-command.js";
import { openPlace } from "./open-place.js";
import type { Places } from "./places.js";

/** What says which environment of which server is meant. */
const SERVER_SETTINGS: readonly SettingName[] = ["url", "data", "apiKey", "apiSecret", "apiSecretFile", "auth"];

/** What is meant for every place. */
const COMMON_SETTINGS: readonly SettingName[] = ["timeout", "encKey", "encKeyFile"];

/**
 * The profiles of the user, each of which is read when it is opened; before them the server that flags, variables or
 * `.appvars.json` name, or the default one where there is nothing else.
 *
 * @param settings what `layers`, strongest first, come to
 * @param broken why the chosen profile could not be read
 * @throws UsageError when the profiles can't be read, or there is no such profile
 */
export function serverPlaces(
  settings: RemoteSettings,
  flags: SourceFlags,
  layers: readonly Layer[],
  io: Io,
  broken?: UsageError,
): Places {
  const { profiles, current } = readProfiles(profilesPath(io));
  const names = Object.keys(profiles);
  const isServerNamed = layers.slice(0, 3).some((layer) => SERVER_SETTINGS.some((name) => layer.has(name)));
  const chosen = isServerNamed ? undefined : (findSetting(layers, "profile")?.text ?? current);
  if (broken && (chosen === undefined || !names.includes(chosen))) throw broken;
  const places = names.map((name): Place => {
    const { data, url } = listedProfile(name, false, profiles[name] ?? {});
    const isChosen = name === chosen;
    const read = () => (isChosen ? layersOf({ ...flags, profile: name }, io) : ownLayers(name, layers, io));
    const open = openPlace(read, profileCommand(name, isChosen, layers, io), io);
    return { name, kind: "profile", detail: data ?? url ?? DEFAULT_URL, open };
  });
  const close = async () => {};
  if (isServerNamed || names.length === 0) {
    return { places: [serverPlace(settings, flags, layers, io), ...places], place: 0, close };
  }
  return { places, place: chosen === undefined ? 0 : names.indexOf(chosen), close };
}

function serverPlace({ url }: RemoteSettings, flags: SourceFlags, layers: readonly Layer[], io: Io): Place {
  const [given = new Map(), , project] = layers;
  const setting = findSetting(layers, "url");
  const isProjects = setting !== undefined && setting === project?.get("url");
  const repeated = repeatedFlags(given, ["apiKey", "apiSecretFile", "auth", "caFile", "encKeyFile"], io.cwd);
  const named = ["--url", url, ...repeated, ...(isProjects ? projectFlags(layers) : [])];
  const open = openPlace(() => layersOf(flags, io), getCommandWith(named), io);
  return { name: isProjects ? ".appvars.json" : new URL(url).host, kind: "server", detail: url, open };
}

/** What `.appvars.json` says beside the URL: it does not count for the same URL as a flag, nor in another folder. */
function projectFlags(layers: readonly Layer[]): string[] {
  const [, , project] = layers;
  const groups: SettingName[][] = [["apiKey"], ["apiSecret", "apiSecretFile"], ["caFile"], ["encKey", "encKeyFile"]];
  return groups.flatMap((names) => {
    const setting = findSetting(layers, ...names);
    if (!setting || setting !== project?.get(setting.name)) return [];
    return [placeOf(setting.name, "flag") ?? [], setting.text].flat();
  });
}

/** What a profile says itself, and what was given for all of them. */
function ownLayers(profile: string, layers: readonly Layer[], io: Io): Layer[] {
  const common = layers
    .slice(0, 2)
    .map((layer) => new Map([...layer].filter(([name]) => COMMON_SETTINGS.includes(name))));
  return [...common, readProfile(profilesPath(io), { name: "profile", text: profile, from: "--profile" })];
}

/** Variables of the environment would beat the profile. */
function profileCommand(
  profile: string,
  isChosen: boolean,
  [given = new Map(), variables = new Map()]: readonly Layer[],
  io: Io,
) {
  const repeated = repeatedFlags(given, isChosen ? ["caFile", "encKeyFile"] : ["encKeyFile"], io.cwd);
  const unset = SERVER_SETTINGS.flatMap((name) => variables.get(name)?.from ?? []);
  return getCommandWith(["--profile", profile, ...repeated], unset);
}
