import { existsSync } from "node:fs";
import { UsageError } from "../../kit/text/errors.js";
import { type Connection, connectionOf, placeNamed } from "../../tasks/settings/connection.js";
import { readProject, readSettings, type Settings } from "../../tasks/settings/resolve-settings.js";
import { DEFAULT_DATA_FILE, type SourceFlags } from "../../tasks/settings/setting-table.js";
import { isNothingConfigured } from "../../tasks/sources/open-source.js";
import type { Caller } from "../../tasks/surroundings.js";
import type { Place, Places, PlacesChange } from "../state/ports.js";
import { pathOf } from "./import-export.js";
import { environmentPlaces } from "./local-places.js";
import { serverPlaces } from "./server-places.js";

/**
 * The environments of the data file or store if the settings select one,
 * otherwise the selected server, if any, and the profiles. A broken profile is
 * also a place, and reports its error when it is opened. If nothing is
 * configured, the user can open a data file.
 *
 * @throws UsageError for invalid settings; NotFoundError, InvalidDataError for
 *   missing or invalid data
 */
export async function findPlaces(flags: SourceFlags, caller: Caller): Promise<Places> {
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
    const place = placeNamed(pathOf({ path }, surroundings), "the path", settings);
    const local = { kind: "data", place, env: undefined } as const;
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
  flags: SourceFlags,
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
