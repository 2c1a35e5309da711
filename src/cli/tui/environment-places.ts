import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { InvalidDataError } from "../../domain/errors.js";
import type { Place } from "../../tui/ports.js";
import { chooseEnvironment } from "../choose-environment.js";
import type { Io } from "../io.js";
import type { Layer } from "../settings.js";
import type { LocalSettings } from "../source-settings.js";
import { getCommandWith, repeatedFlags } from "./get-command.js";
import { meansOf } from "./means.js";
import { openData, type SharedData, shareData } from "./open-data.js";
import { openEnvironment } from "./open-environment.js";
import type { Places } from "./places.js";

/**
 * The environments of one data file, which is opened once for all of them. The first is to be opened where none is
 * named. A file that breaks a rule is one place, which tells so when it is opened.
 *
 * @throws InvalidDataError when there is no such file; NotFoundError, UsageError for an environment that there is not
 */
export async function environmentPlaces(settings: LocalSettings, layers: readonly Layer[], io: Io): Promise<Places> {
  const { data, env } = settings;
  const shared = shareData(() => openData(data, io.clock));
  const environments = await readEnvironments(shared, data);
  const toPlace = (name: string, find: (all: readonly EnvironmentRecord[]) => EnvironmentRecord): Place => ({
    name,
    kind: "environment",
    detail: data,
    open: () => openPlace(shared, find, data, layers, io),
  });
  const close = () => shared.close();
  if (!environments) {
    const place = toPlace(env ?? basename(data), (all) => (env === undefined && all[0]) || chooseEnvironment(all, env));
    return { places: [place], place: 0, close };
  }
  const [first] = environments;
  const chosen = env === undefined && first ? first : chooseEnvironment(environments, env);
  const isPlain = environments.every(({ application }) => application === first?.application);
  const places = environments.map((environment) => {
    const name = qualifiedName(environment);
    return toPlace(isPlain ? environment.name : name, (all) => findEnvironment(all, name));
  });
  return { places, place: environments.indexOf(chosen), close };
}

/** Undefined when the file is there but is not what it must be: that may be mended while the TUI is open. */
async function readEnvironments(shared: SharedData, path: string): Promise<readonly EnvironmentRecord[] | undefined> {
  try {
    return (await shared.open()).service.environments;
  } catch (error) {
    if (error instanceof InvalidDataError && existsSync(path)) return undefined;
    throw error;
  }
}

async function openPlace(
  shared: SharedData,
  find: (all: readonly EnvironmentRecord[]) => EnvironmentRecord,
  path: string,
  layers: readonly Layer[],
  io: Io,
) {
  const data = await shared.open();
  const environment = find(data.service.environments);
  const [given = new Map()] = layers;
  const flags = ["--data", resolve(io.cwd, path), "--env", qualifiedName(environment)];
  const getCommand = getCommandWith([...flags, ...repeatedFlags(given, ["encKeyFile"], io.cwd)]);
  // The file stays open for the other places.
  return openEnvironment(data, environment, await meansOf(layers, io, getCommand), async () => {});
}
