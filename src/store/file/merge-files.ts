import { isDeepStrictEqual as isSame } from "node:util";
import { withPathInErrors } from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { FileSealing } from "../bytes/file-sealing.js";
import type { Data } from "../data.js";
import { type Merge, mergeData } from "../edits/merge-data.js";
import { labelOf, mergeRecordsOf } from "../edits/merge-records.js";

/**
 * Merges two branches of a data file. An unchanged secret keeps its sealed
 * text.
 *
 * @param keys the content of a key file. Without it, sealed strings are
 *   compared
 * @throws UsageError for the keys; InvalidDataError as `mergeData`, and for
 *   secrets that can't be opened
 */
export async function mergeFiles(
  base: Data,
  ours: Data,
  theirs: Data,
  keys: string | undefined,
): Promise<Merge> {
  if (keys === undefined) return mergeData(base, ours, theirs);
  const isSealed = ours.sealed || theirs.sealed;
  const sealing = new FileSealing(keys, "kept");
  const open = (side: string, content: Data) =>
    withPathInErrors(`${side}:`, Promise.resolve(content).then(sealing.open));
  // The order matters: of two sealed strings with the same content, the first
  // one stays.
  const opened = {
    ours: await open("ours", ours),
    theirs: await open("theirs", theirs),
    base: await open("base", base),
  };
  for (const [side, content] of Object.entries({ ours, theirs }))
    if (isSealed && !content.sealed) throw notSealedError(side, content, opened.base);
  const merge = await mergeData(opened.base, opened.ours, opened.theirs);
  // If one branch has rotated the key, the secrets of the other one follow.
  const isRotated = [ours, theirs].some((side) => sealing.isCurrent(side));
  return isSealed ? { ...merge, data: sealing.seal(merge.data, isRotated) } : merge;
}

/** Anyone can write a plain branch. Sealing its changes would vouch for them. */
function notSealedError(side: string, content: Data, base: Data): InvalidDataError {
  const before = mergeRecordsOf(base, base);
  const changed: string[] = [];
  for (const [key, { fields }] of mergeRecordsOf(content, base))
    if (!isSame(fields, before.get(key)?.fields)) changed.push(labelOf(key));
  const names = changed.join(", ") || "nothing";
  return new InvalidDataError(
    `${side}: is not sealed, and may be from somebody without the key; it has changed ${names}; seal it first: appvars seal`,
  );
}
