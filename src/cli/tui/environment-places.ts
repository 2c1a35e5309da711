import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { InvalidDataError } from "../../domain/errors.js";
import type { Place } from "../../tui/state/ports.js";
import type { Io } from "../output/io.js";
import type { LocalSettings } from "../settings/connection.js";
import type { Settings } from "../settings/settings.js";
import { chooseEnvironment } from "../sources/open-source.js";
import { describeRisks, fileRisks, riskWarning } from "../sources/safe-files.js";
import { getCommandWith, repeatedFlags } from "./get-command.js";
import { openEnvironment, type Places, type WatchedData, watchData } from "./open-place.js";

/**
 * The environments of one data file, which is opened once for all of them. Without `--env` the first one is to be
 * opened. A file with invalid data is a single place, which reports the error when it is opened.
 *
 * @param warn called when other users can change the file
 * @throws InvalidDataError when the file does not exist; NotFoundError, UsageError when the environment does not exist
 */
export async function environmentPlaces(
  { data: path, env }: LocalSettings,
  settings: Settings,
  io: Io,
  warn: (text: string) => void,
): Promise<Places> {
  const { refused, warned } = fileRisks(path, io);
  if (refused.length > 0) warn(describeRisks(path, refused));
  if (warned.length > 0) warn(riskWarning(path, warned));
  let opening: Promise<WatchedData> | undefined;
  const openData = async () => {
    opening ??= watchData(path, io);
    try {
      return await opening;
    } catch (error) {
      // A file that is corrected can be opened then.
      opening = undefined;
      throw error;
    }
  };
  const close = async () => (await opening?.catch(() => undefined))?.store.close();
  const toPlace = (name: string, choose: (all: readonly EnvironmentRecord[]) => EnvironmentRecord): Place => ({
    name,
    kind: "environment",
    detail: path,
    open: async () => {
      const data = await openData();
      const environment = choose(data.service.environments);
      const flags = ["--data", resolve(io.cwd, path), "--env", qualifiedName(environment)];
      const keyFlags = repeatedFlags(settings.layers.flags, ["encKeyFile"], io.cwd);
      const getCommand = getCommandWith([...flags, ...keyFlags]);
      // The file stays open for the other places.
      return openEnvironment(data, environment, settings, getCommand, async () => {});
    },
  });
  const environments = await readEnvironments(openData, path);
  if (!environments) {
    const place = toPlace(env ?? basename(path), (all) => (env === undefined && all[0]) || chooseEnvironment(all, env));
    return { places: [place], place: 0, close };
  }
  const [first] = environments;
  const chosen = env === undefined && first ? first : chooseEnvironment(environments, env);
  const isOneApplication = environments.every(({ application }) => application === first?.application);
  const places = environments.map((environment) => {
    const name = qualifiedName(environment);
    return toPlace(isOneApplication ? environment.name : name, (all) => findEnvironment(all, name));
  });
  return { places, place: environments.indexOf(chosen), close };
}

/** Undefined when the file exists but is invalid: it may be corrected while the TUI is open. */
async function readEnvironments(open: () => Promise<WatchedData>, path: string) {
  try {
    return (await open()).service.environments;
  } catch (error) {
    if (error instanceof InvalidDataError && existsSync(path)) return undefined;
    throw error;
  }
}
