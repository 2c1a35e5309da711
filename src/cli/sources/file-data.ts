import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { InvalidDataError } from "../../domain/errors.js";
import { hasCode } from "../../files/system-errors.js";
import type { Data } from "../../store/data.js";
import { createDataFile, openDataFile, openServedFile } from "../../store/json-file-store.js";
import type { CreatedData, LocalData, ServeDataOptions, ServedData } from "./local-data.js";
import {
  describeRisks,
  type FileUser,
  fileRisks,
  looseFileWarning,
  refuseToReload,
  refuseUnsafeFile,
  riskWarning,
  unsafeFileWarning,
} from "./safe-files.js";

/** The data in a data file. */
export function fileData(path: string, io: FileUser): LocalData {
  return {
    name: path,
    check: (purpose) => (purpose === "change" ? refuseUnsafeFile(path, io) : unsafeFileWarning(path, io)),
    risks: () => {
      const { refused, warned } = fileRisks(path, io);
      const refusals = refused.length > 0 ? [describeRisks(path, refused)] : [];
      return warned.length > 0 ? [...refusals, riskWarning(path, warned)] : refusals;
    },
    exists: () => existsSync(path),
    open: (options) => openDataFile(path, options),
    create: (data) => createFile(path, io, data),
    serve: (options) => serveFile(path, io, options),
  };
}

async function createFile(path: string, { user }: FileUser, given?: Data): Promise<CreatedData> {
  const data = given ?? (await import("../../store/starter-data.js")).starterData();
  await createDataFile(path, data);
  // Without user ids, files have no modes either: Windows takes the access to a file from its folder.
  const readers = user === undefined ? "readable by whoever can read its folder" : "readable only by you";
  const message = `created ${path}, ${readers}; it contains the credentials of all its environments`;
  return { data, message };
}

async function serveFile(
  path: string,
  io: FileUser,
  { mustExist, maxSize, log }: ServeDataOptions,
): Promise<ServedData> {
  const unsafe = refuseUnsafeFile(path, io);
  const created = await createIfMissing(path, io, mustExist);
  const store = await openServedFile(path, { check: (place) => refuseToReload(place, io), maxSize });
  if (created) log("info", created.message);
  for (const warning of [unsafe, await looseFileWarning(path)]) if (warning) log("warn", warning);
  return { store, created: created?.data.environments[0] };
}

/** @throws InvalidDataError if it must exist and does not, or can't be created */
async function createIfMissing(path: string, io: FileUser, mustExist = false): Promise<CreatedData | undefined> {
  const isThere = await access(path).then(
    () => true,
    (error) => !hasCode(error, "ENOENT"),
  );
  if (isThere) return undefined;
  if (mustExist) throw new InvalidDataError(`${path} does not exist, and --must-exist prevents serve from creating it`);
  try {
    return await createFile(path, io);
  } catch (error) {
    // Another process has created it in the meantime.
    if (systemCode(error as Error) === "EEXIST") return undefined;
    throw error;
  }
}

/** The code of the system error that caused this one. */
function systemCode({ cause, code }: NodeJS.ErrnoException): string | undefined {
  return cause instanceof Error ? systemCode(cause) : code;
}
