import type { EnvironmentRecord } from "../domain/environment.js";
import type { Data } from "../store/data.js";
import type { EditableStore } from "../store/store.js";
import { chooseEnvironment } from "./choose-environment.js";
import { dataPath } from "./data-path.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import { findSetting, type SourceFlags } from "./settings.js";

/** Opens the data file that the flags of `addDataOptions` and the environment name. @throws InvalidDataError */
export async function openData(flags: SourceFlags, io: Io): Promise<EditableStore> {
  const { openDataFile } = await import("../store/json-file-store.js");
  return openDataFile(dataPath(flags, io));
}

/**
 * Changes one environment of the data file in one atomic write.
 *
 * @param change gets the data as it is by then, and the environment that `--env` names
 * @throws InvalidDataError, NotFoundError, UsageError; nothing is changed then
 */
export async function editEnvironment(
  flags: SourceFlags,
  io: Io,
  change: (data: Data, environment: EnvironmentRecord) => Data,
): Promise<void> {
  const store = await openData(flags, io);
  await store.update((data) => change(data, namedEnvironment(data, flags, io)));
}

/** The same to look at, and to change nothing. */
export async function readEnvironment(
  flags: SourceFlags,
  io: Io,
): Promise<{ data: Data; environment: EnvironmentRecord }> {
  const store = await openData(flags, io);
  return { data: store.snapshot, environment: namedEnvironment(store.snapshot, flags, io) };
}

function namedEnvironment({ environments }: Data, flags: SourceFlags, io: Io): EnvironmentRecord {
  return chooseEnvironment(environments, findSetting(layersOf(flags, io), "env")?.text);
}
