import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { refuseReadOnly } from "../../kit/files/owners.js";
import {
  hasCode,
  toInvalidFile,
  withName,
  withPathInErrors,
} from "../../kit/files/system-errors.js";
import { abortOnSignal } from "../../kit/process/signals.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { NeedsSealKeyError } from "../../model/seal-key.js";
import { createFileSealing } from "../../store/bytes/data-text.js";
import type { FileSealing, SealedForm } from "../../store/bytes/file-sealing.js";
import type { Data } from "../../store/data.js";
import { openWithoutKeys, readDataFile } from "../../store/file/data-file.js";
import type { History } from "../../store/history.js";
import type { ChangeData, UpdateOptions } from "../../store/store.js";
import { checkFileRisk, fileRisk } from "../files/safe-files.js";
import { type DataLocation, dataLocationOf, type FileLocation } from "../settings/connection.js";
import type { Settings } from "../settings/resolve-settings.js";
import { readSecret } from "../settings/secret-files.js";
import { authorOf, type Caller } from "../surroundings.js";
import { type Chosen, chooseEnvironments, type EnvironmentChoice } from "./choose-environments.js";
import type { DataAccess } from "./data-access.js";

export interface DataCaller extends Caller {
  /** Called with the data before and after a change, which is then not made. */
  readonly preview?: ((before: Data, after: Data) => Promise<void>) | undefined;
}

/**
 * @param purpose calls `DataAccess.check`, and warns of what it finds
 * @throws InvalidDataError as `DataAccess.check`
 */
export async function openDataAccess(
  location: DataLocation,
  caller: Caller,
  purpose?: "read" | "change",
): Promise<DataAccess> {
  const data =
    location.kind === "etcd"
      ? (await import("./etcd-data.js")).etcdData(location, caller)
      : fileData(location, caller);
  const warning = purpose && data.check(purpose);
  if (warning) caller.warn(warning);
  return data;
}

/** Warns if other users can change the data. */
export async function readData(location: DataLocation, caller: Caller): Promise<Data> {
  return (await openDataAccess(location, caller, "read")).read();
}

/**
 * Warns as `readData` does.
 *
 * @param use gets the history, which is closed afterwards
 */
export async function readHistory<T>(
  location: DataLocation,
  caller: Caller,
  use: (history: History) => Promise<T>,
): Promise<T> {
  return (await openDataAccess(location, caller, "read")).history(use);
}

/**
 * Changes data in one atomic write. Resolves to the new data; to `undefined`
 * after a preview.
 *
 * @throws InvalidDataError, also if other users can change the data; errors of
 *   `applyChange`
 */
export async function updateData(
  location: DataLocation,
  caller: DataCaller,
  change: ChangeData,
  options?: UpdateOptions,
): Promise<Data | undefined> {
  const { preview } = caller;
  if (!preview) return (await openDataAccess(location, caller, "change")).update(change, options);
  const { applyChange } = await import("../../store/edits/apply-change.js");
  const data = await readData(location, caller);
  await preview(data, await applyChange(data, change, options));
  return undefined;
}

/**
 * Changes environments in one atomic write. Resolves to them; to `undefined`
 * after a preview.
 *
 * @param change gets the data at that time
 */
export async function updateEnvironments(
  settings: Settings,
  caller: DataCaller,
  choice: EnvironmentChoice,
  change: (data: Data, environments: Chosen) => Data | Promise<Data>,
): Promise<Chosen | undefined> {
  let chosen: Chosen | undefined;
  const changed = await updateData(dataLocationOf(settings), caller, (data) => {
    chosen = chooseEnvironments(data, settings, choice);
    return change(data, chosen);
  });
  return changed && chosen;
}

function fileData(location: FileLocation, caller: Caller): DataAccess {
  const { path, sealKey } = location;
  const { surroundings } = caller;
  return {
    name: path,
    check: (purpose) => {
      if (purpose === "change") {
        refuseUnwritable(path);
        return checkFileRisk(path, surroundings);
      }
      const risk = fileRisk(path, surroundings);
      return risk?.isRefused ? risk.message : undefined;
    },
    read: async () => {
      const open = (await sealingOf(location, caller))?.open ?? openWithoutKeys;
      return readDataFile(path, { open }).catch((error: unknown) => {
        throw withName(path, error);
      });
    },
    update: async (change, options) => (await updateFile(location, caller, change, options)).data,
    history: async (use) => {
      const { readFileHistory } = await import("../../store/file/file-history.js");
      const reading = readFileHistory(path, await sealingOf(location, caller));
      return use(await withPathInErrors(path, reading));
    },
    follow: async () => {
      const { openDataFile } = await import("../../store/file/json-file-store.js");
      const sealKeys = sealKey && (await readSecret(sealKey, caller));
      const { clock } = surroundings;
      const options = { watch: true, author: authorOf(caller), clock, sealKeys };
      return openDataFile(path, options).catch((error: Error) => {
        // Names and public values need no key.
        if (!(error.cause instanceof NeedsSealKeyError)) throw error;
        return openDataFile(path, { ...options, open: openWithoutKeys });
      });
    },
    create: async (data) => {
      const { createData } = await import("./serve-file.js");
      return createData(path, surroundings, data, await sealingOf(location, caller, "sealed"));
    },
    copyHistory: async (history) => {
      const { copyHistory } = await import("../../store/file/file-history.js");
      await copyHistory(path, history, await sealingOf(location, caller, "sealed"));
    },
    writeAs: async (form) => {
      const { written } = await updateFile(location, caller, (data) => data, {}, form);
      return written !== undefined;
    },
    serve: async (options) => {
      const { serveFile } = await import("./serve-file.js");
      return serveFile(location, caller, options);
    },
  };
}

async function sealingOf(
  { sealKey, mayBePlain }: FileLocation,
  caller: Caller,
  form: SealedForm = mayBePlain && "kept",
): Promise<FileSealing | undefined> {
  return sealKey && createFileSealing(await readSecret(sealKey, caller), form);
}

async function updateFile(
  location: FileLocation,
  caller: Caller,
  change: ChangeData,
  options?: UpdateOptions,
  form?: SealedForm,
) {
  const { path } = location;
  const { clock } = caller.surroundings;
  const sealing = await sealingOf(location, caller, form);
  const author = authorOf(caller);
  // Readers don't load the lock.
  const { updateDataFile } = await import("../../store/file/update-data-file.js");
  const update = (signal: AbortSignal) =>
    updateDataFile(path, change, { ...options, sealing, author, clock, signal });
  return abortOnSignal(update).catch((error: unknown) => {
    throw withName(path, error);
  });
}

/** @throws InvalidDataError if a file is read-only, or its folder is */
function refuseUnwritable(path: string): void {
  try {
    const file = realpathSync(path);
    accessSync(dirname(file), constants.W_OK);
    refuseReadOnly(file, statSync(file));
  } catch (error) {
    if (error instanceof InvalidDataError || hasCode(error, "EACCES", "EROFS"))
      throw toInvalidFile(path, error, "can't be written");
  }
}
