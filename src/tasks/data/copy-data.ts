import { existsSync } from "node:fs";
import { InvalidDataError, UsageError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import type { Data } from "../../store/data.js";
import { isSameData } from "../../store/history.js";
import { isSameFile } from "../files/safe-files.js";
import { type DataLocation, locationName } from "../settings/connection.js";
import type { Caller } from "../surroundings.js";
import type { DataAccess } from "./data-access.js";
import { openDataAccess, readData, readHistory } from "./open-data.js";

/**
 * Copies data with its history, and reads the copy back. Writes no data if TO
 * holds the same.
 *
 * @throws UsageError for the same file; InvalidDataError if TO holds other data
 */
export async function copyData(from: DataLocation, to: DataLocation, caller: Caller) {
  if (from.kind === "file" && to.kind === "file" && (await isSameFile(from.path, to.path)))
    throw new UsageError("FROM and TO are the same file");
  const target = await openDataAccess(to, caller, "change");
  // The keys may be for the copy alone.
  const source = from.kind === "file" ? { ...from, mayBePlain: true as const } : from;
  return readHistory(source, caller, async (history) => {
    const { data } = history;
    const isWritten = await createIfMissing(target, data, to);
    if (!isSameData(data, await readData(to, caller))) throw otherDataError(to, isWritten);
    await target.copyHistory(history);
    const { environments, variables, values } = data;
    const counts = {
      environments: environments.length,
      variables: variables.length,
      values: values.length,
    };
    return { isWritten, counts };
  });
}

/** Resolves to `false` if TO exists already. */
async function createIfMissing(target: DataAccess, data: Data, to: DataLocation): Promise<boolean> {
  if (to.kind === "file" && existsSync(to.path)) return false;
  try {
    await target.create(data);
    return true;
  } catch (error) {
    // Only creating a store's data shows that it has some.
    if (to.kind === "etcd" && error instanceof InvalidDataError) return false;
    throw error;
  }
}

function otherDataError(to: DataLocation, isWritten: boolean): InvalidDataError {
  const name = locationName(to);
  if (isWritten)
    return new InvalidDataError(`${name} was written, but another program has changed it since`);
  const advice =
    to.kind === "file"
      ? "name another file, or move this one elsewhere"
      : `name another prefix, or remove the data with ${command`etcdctl del --prefix ${to.address.prefix}`}`;
  return new InvalidDataError(`${name} holds other data, and was not changed: ${advice}`);
}
