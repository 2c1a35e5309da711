import type { Place } from "../../tui/ports.js";
import type { Io } from "../io.js";
import { layersOf } from "../layers.js";
import type { SourceFlags } from "../settings.js";
import { resolveSettings } from "../source-settings.js";
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
 * named otherwise.
 *
 * @throws UsageError for settings that break a rule; NotFoundError, InvalidDataError when the data file has no such
 *   environment, or is missing
 */
export async function findPlaces(flags: SourceFlags, io: Io): Promise<Places> {
  const layers = layersOf(flags, io);
  const settings = resolveSettings(layers);
  return settings.kind === "local"
    ? environmentPlaces(settings, layers, io)
    : serverPlaces(settings, flags, layers, io);
}
