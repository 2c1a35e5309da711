import { UsageError } from "../../domain/errors.js";
import type { Place } from "../../tui/ports.js";
import type { Io } from "../io.js";
import { layersOf } from "../layers.js";
import { readProjectFile } from "../project-file.js";
import { type Layer, readLayer, type SourceFlags } from "../settings.js";
import { type LocalSettings, type RemoteSettings, resolveSettings } from "../source-settings.js";
import { environmentPlaces } from "./environment-places.js";
import { serverPlaces } from "./server-places.js";

/** What the left panel lists. */
export interface Places {
  readonly places: readonly Place[];
  /** Index of the one to open. */
  readonly place: number;
  /** Lets go of what they have in common. */
  close(): Promise<void>;
}

/**
 * The environments of the data file, when the settings name one; else the profiles, and before them the server that is
 * named otherwise. A profile that breaks a rule is a place too: it tells so when it is opened.
 *
 * @throws UsageError for settings that break a rule; NotFoundError, InvalidDataError when the data file has no such
 *   environment, or is missing
 */
export async function findPlaces(flags: SourceFlags, io: Io): Promise<Places> {
  const { layers, settings, broken } = readSettings(flags, io);
  if (settings.kind === "remote") return serverPlaces(settings, flags, layers, io, broken);
  if (broken) throw broken;
  return environmentPlaces(settings, layers, io);
}

interface FoundSettings {
  readonly layers: readonly Layer[];
  readonly settings: LocalSettings | RemoteSettings;
  /** What is wrong with the chosen profile, which is left out then. */
  readonly broken?: UsageError;
}

function readSettings(flags: SourceFlags, io: Io): FoundSettings {
  try {
    const layers = layersOf(flags, io);
    return { layers, settings: resolveSettings(layers) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // What is wrong with the others is thrown here again.
    const others = [readLayer("flag", flags), readLayer("variable", io.env), readProjectFile(io.cwd, io.user)];
    const layers = [...others, new Map()];
    return { layers, settings: resolveSettings(layers), broken: error };
  }
}
