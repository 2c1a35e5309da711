import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../domain/environment.js";
import { UsageError } from "../../domain/errors.js";
import type { EditableStore } from "../../store/store.js";
import type { Context } from "../output/context.js";
import { cleanUpBeforeEnd } from "../processes/signals.js";
import type { DataPlace } from "../settings/connection.js";
import type { SecretIo } from "../settings/secrets.js";
import type { LocalData } from "./local-data.js";
import type { FileUser } from "./safe-files.js";

/** The data at a place. Loads only the code for that kind of place. */
export async function localData(place: DataPlace, io: FileUser & SecretIo): Promise<LocalData> {
  if (place.kind === "store") return (await import("./store-data.js")).storeData(place, io);
  return (await import("./file-data.js")).fileData(place, io);
}

/**
 * Opens data, lets `use` read or change it, and closes it in any case. If other users can change it,
 * that is an error, or a warning to read only. To change a file, it is not read before `update`.
 *
 * @throws InvalidDataError, the errors of `use`
 */
export async function withStore<T>(
  place: DataPlace,
  { io, warn }: Context,
  purpose: "read" | "change",
  use: (store: EditableStore) => T | Promise<T>,
): Promise<T> {
  const data = await localData(place, io);
  const warning = data.check(purpose);
  if (warning) warn(warning);
  const store = await data.open({ unread: purpose === "change", interruptible: cleanUpBeforeEnd });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/**
 * The environment that `--env` names, or the only one there is.
 *
 * @throws NotFoundError; UsageError if it is ambiguous or must be named
 */
export function chooseEnvironment(
  environments: readonly EnvironmentRecord[],
  name: string | undefined,
): EnvironmentRecord {
  if (name !== undefined) return findEnvironment(environments, name);
  const [only, ...others] = environments;
  if (only && others.length === 0) return only;
  if (!only) throw new UsageError("there are no environments yet: create one with appvars env add NAME");
  const choices = environments.map(qualifiedName).join(", ");
  throw new UsageError(`which environment? add --env with one of ${choices}`);
}
