import { layersOf, type SettingsIo } from "./layers.js";
import { findSetting, type SourceFlags } from "./settings.js";

/** Where the commands that make, serve or change a data file look for it unless they are told otherwise. */
export const DEFAULT_DATA_FILE = "appvars.data.json";

/** The data file that the settings name, or the default one. */
export function dataPath(flags: SourceFlags, io: SettingsIo): string {
  return findSetting(layersOf(flags, io), "data")?.text ?? DEFAULT_DATA_FILE;
}
