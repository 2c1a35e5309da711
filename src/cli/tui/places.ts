import { UsageError } from "../../domain/errors.js";
import type { Context } from "../output/context.js";
import type { Io } from "../output/io.js";
import { isNothingConfigured } from "../reading/open-source.js";
import { dataPlaceOf } from "../settings/connection.js";
import { readProject, readSettings, type Settings } from "../settings/resolve-settings.js";
import type { SourceFlags } from "../settings/setting-table.js";
import { environmentPlaces } from "./environment-places.js";
import type { Places } from "./open-place.js";
import { serverPlaces } from "./server-places.js";

/**
 * The environments of the data file if the settings select one; otherwise the profiles, after the server if one is
 * selected. An invalid profile is a place too, and reports the error when it is opened. If nothing is configured, the
 * environments of the data file in the current folder are offered.
 *
 * @throws UsageError for invalid settings; NotFoundError, InvalidDataError for missing data
 */
export async function findPlaces(flags: SourceFlags, { io, warn }: Pick<Context, "io" | "warn">): Promise<Places> {
  const { settings, broken } = readUsable(flags, io);
  const { connection } = settings;
  if (connection.kind === "remote") {
    const remote = serverPlaces(connection, flags, settings, io, broken);
    const isOffer = isNothingConfigured(settings.given) && remote.places.every(({ kind }) => kind === "server");
    return isOffer ? withUnusedData(remote, settings, io, warn) : remote;
  }
  if (broken) throw broken;
  return environmentPlaces(connection, settings, io, warn);
}

/** Offers the environments of the data file in the current folder, below the server, which can't be read. */
async function withUnusedData({ places }: Places, settings: Settings, io: Io, warn: (text: string) => void) {
  const connection = { kind: "local", place: dataPlaceOf(settings, undefined), env: undefined } as const;
  const local = await environmentPlaces(connection, settings, io, warn);
  return { ...local, places: [...places, ...local.places], place: 0, offered: places.length + local.place };
}

/** The settings; without those of the chosen profile if it is broken, which is then reported too. */
function readUsable(flags: SourceFlags, io: Io): { settings: Settings; broken?: UsageError } {
  try {
    return { settings: readSettings(flags, io).check() };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // A mistake in another place throws again here.
    return { settings: readSettings(flags, io, undefined, [readProject]).check(), broken: error };
  }
}
