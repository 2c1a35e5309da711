import type { Io } from "./io.js";

/** Where the commands that make, serve or change a data file look for it unless they are told otherwise. */
export const DEFAULT_DATA_FILE = "appvars.data.json";

/** The data file that a flag or the environment names, or the default one. */
export function dataPath(flag: string | undefined, { env }: Pick<Io, "env">): string {
  return flag || env["APPVARS_DATA"] || DEFAULT_DATA_FILE;
}
