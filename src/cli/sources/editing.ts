import type { EnvironmentRecord } from "../../domain/environment.js";
import type { Data } from "../../store/data.js";
import type { EditableStore } from "../../store/store.js";
import type { Context } from "../output/context.js";
import { cleanUpBeforeEnd } from "../processes/signals.js";
import type { Settings } from "../settings/settings.js";
import { chooseEnvironment } from "./open-source.js";
import { refuseUnsafeFile, unsafeFileWarning } from "./safe-files.js";

/**
 * Opens the data file of the settings. If other users can change it, that is an error, or a warning to read only.
 *
 * @throws InvalidDataError
 */
export async function openStore(
  { dataPath }: Settings,
  { io, warn }: Context,
  purpose: "read" | "change" = "change",
): Promise<EditableStore> {
  const warning = purpose === "change" ? refuseUnsafeFile(dataPath, io) : unsafeFileWarning(dataPath, io);
  if (warning) warn(warning);
  const { openDataFile } = await import("../../store/json-file-store.js");
  return openDataFile(dataPath, { interruptible: cleanUpBeforeEnd });
}

/**
 * Changes one environment of the data file in one atomic write.
 *
 * @param change gets the data at that time, and the environment that `--env` names
 * @throws InvalidDataError, NotFoundError, UsageError; nothing is changed then
 */
export async function editEnvironment(
  settings: Settings,
  context: Context,
  change: (data: Data, environment: EnvironmentRecord) => Data,
): Promise<void> {
  const store = await openStore(settings, context);
  await store.update((data) => change(data, environmentIn(data, settings)));
}

export async function readEnvironment(
  settings: Settings,
  context: Context,
): Promise<{ data: Data; environment: EnvironmentRecord }> {
  const { snapshot } = await openStore(settings, context, "read");
  return { data: snapshot, environment: environmentIn(snapshot, settings) };
}

function environmentIn({ environments }: Data, settings: Settings): EnvironmentRecord {
  return chooseEnvironment(environments, settings.find("env")?.text);
}
