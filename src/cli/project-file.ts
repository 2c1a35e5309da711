import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../domain/errors.js";
import type { Layer } from "./settings.js";
import { readKeys, readSettingsObject } from "./settings-file.js";

const PROJECT_FILE = ".appvars.json";

/**
 * The settings of the `.appvars.json` in this folder or the nearest above it.
 *
 * @param user id of the user who runs this, where the system has such
 * @throws UsageError when it can't be read or breaks a rule, or belongs to somebody else: it could point the client
 *   at a server of theirs
 */
export function readProjectFile(folder: string, user: number | undefined): Layer {
  const path = join(folder, PROJECT_FILE);
  const parent = dirname(folder);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) return parent === folder ? new Map() : readProjectFile(parent, user);
  if (user !== undefined && stats.uid !== user && stats.uid !== 0) {
    throw new UsageError(`${path} belongs to another user, who could point you at another server: it is not read`);
  }
  if (user !== undefined && stats.mode & 0o002) {
    throw new UsageError(`${path} can be written by everybody, who could point you at another server: it is not read`);
  }
  return readKeys("project", readSettingsObject(path) ?? {}, `in ${path}`, folder);
}
