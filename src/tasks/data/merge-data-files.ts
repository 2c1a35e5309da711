import { withPathInErrors } from "../../kit/files/system-errors.js";
import { serializeData } from "../../store/bytes/data-text.js";
import type { Conflict } from "../../store/edits/merge-data.js";
import { readContent } from "../../store/file/data-file.js";
import { mergeFiles } from "../../store/file/merge-files.js";
import { writePrivateFile } from "../files/write-private-file.js";
import { readSecret, type SecretSetting } from "../settings/secret-files.js";
import type { Caller } from "../surroundings.js";

type Sides = Record<"base" | "ours" | "theirs", string>;

/**
 * Merges two branches of a data file into `ours`, without a lock.
 *
 * @param path its name in messages
 */
export async function mergeDataFiles(
  sides: Sides,
  path: string | undefined,
  sealKey: SecretSetting | undefined,
  caller: Caller,
): Promise<Conflict[]> {
  const read = (side: keyof Sides) => {
    const name = path === undefined ? sides[side] : `${path} (${side})`;
    return readContent(sides[side], name, side === "base");
  };
  const contents = [await read("base"), await read("ours"), await read("theirs")] as const;
  const keys = sealKey && (await readSecret(sealKey, caller));
  const merging = mergeFiles(...contents, keys).catch((error: unknown) => {
    // Git then reports a conflict, as if the rest had been merged.
    const advice = "before you try again, run: git merge --abort";
    if (path !== undefined) caller.warn(`nothing was merged into ${path}; ${advice}`);
    throw error;
  });
  const name = path ?? sides.ours;
  const { data, conflicts } = await withPathInErrors(`${name} can't be merged:`, merging);
  await writePrivateFile(sides.ours, serializeData(data), caller.surroundings);
  return conflicts;
}
