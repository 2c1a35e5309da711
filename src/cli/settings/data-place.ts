import type { Setting } from "./layers.js";
import { DEFAULT_DATA_FILE } from "./setting-names.js";

/** Where the data is that commands read, change and serve without a server in between. */
export interface DataPlace {
  kind: "file";
  path: string;
}

/** The path of the file, to call the data by. */
export function placeName({ path }: DataPlace): string {
  return path;
}

/** The flags that select it. @param resolvePath applied to the paths in them */
export function placeFlags({ path }: DataPlace, resolvePath = (relative: string) => relative): string[] {
  return ["--data", resolvePath(path)];
}

/** @param given the setting that names it; undefined for the default */
export function dataPlaceOf(given: Setting | undefined): DataPlace {
  return { kind: "file", path: given?.text ?? DEFAULT_DATA_FILE };
}
