import { dirname } from "node:path";
import { looseMode } from "../../store/file-mode.js";
import { shellWord } from "../escape.js";
import { type Finding, ok, skipped, warning } from "./finding.js";

/** A file or folder that is to be its owner's alone. */
export interface PrivatePath {
  path: string;
  /** Its mode where others have rights to it, `0644`. */
  loose: string | undefined;
  isFolder: boolean;
}

/**
 * Looks at files with secrets in them, and at the folder with the profiles. What is not there is left out.
 *
 * @param files with secrets
 * @param profiles path of the profiles' file
 */
export async function gatherModes(files: readonly string[], profiles: string): Promise<PrivatePath[]> {
  const paths = [...new Set([...files, profiles])].map((path) => ({ path, isFolder: false }));
  const found = await Promise.all(
    [...paths, { path: dirname(profiles), isFolder: true }].map(async ({ path, isFolder }) => {
      const mode = await looseMode(path).catch(() => null);
      return mode === null ? [] : [{ path, loose: mode, isFolder }];
    }),
  );
  const present = found.flat();
  // The folder matters for what is in it.
  return present.filter(({ isFolder }) => !isFolder || present.some(({ path }) => path === profiles));
}

/** One finding for each path that is open to others, or one for all when none is. */
export function checkFileModes(paths: readonly PrivatePath[]): Finding[] {
  const loose = paths.flatMap(({ path, loose, isFolder }) =>
    loose === undefined ? [] : [openToOthers(path, loose, isFolder)],
  );
  if (loose.length > 0) return loose;
  if (paths.length === 0) return [skipped("no file with a secret is in use")];
  return [ok(`only you may read and write ${paths.map(({ path }) => path).join(", ")}`)];
}

function openToOthers(path: string, mode: string, isFolder: boolean): Finding {
  const message = `others have rights to ${path} (mode ${mode})`;
  return warning(message, `chmod ${isFolder ? "700" : "600"} ${shellWord(path)}`);
}
