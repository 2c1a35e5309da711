import { existsSync } from "node:fs";
import { access } from "node:fs/promises";
import { InvalidDataError } from "../../domain/errors.js";
import { command } from "../../domain/shell.js";
import { looseModeWarning } from "../../files/owners.js";
import { hasCode } from "../../files/system-errors.js";
import type { Data } from "../../store/data.js";
import { createDataFile, openDataFile } from "../../store/json-file-store.js";
import type { FilePlace } from "../settings/connection.js";
import type { LocalData, ServeDataOptions } from "./local-data.js";
import {
  ALLOW_VARIABLE,
  describeRisk,
  type FileUser,
  fileRisk,
  refuseUnsafeFile,
  unsafeFileWarning,
} from "./safe-files.js";
import type { ServedData } from "./served-data.js";

/** The data in a data file. */
export function fileData(place: FilePlace, io: FileUser): LocalData {
  const { path } = place;
  return {
    name: path,
    check: (purpose) => (purpose === "change" ? refuseUnsafeFile(path, io) : unsafeFileWarning(path, io)),
    risks: () => {
      const risk = fileRisk(path, io);
      return risk ? [describeRisk(path, risk)] : [];
    },
    exists: () => existsSync(path),
    open: (options) => openDataFile(path, options),
    create: (data) => createFile(path, io, data),
    served: (options) => prepareFile(place, io, options),
  };
}

async function createFile(path: string, { user }: FileUser, data: Data): Promise<string> {
  await createDataFile(path, data);
  // Without user ids, files have no modes either: Windows takes the access to a file from its folder.
  const readers = user === undefined ? "readable by all who can read its folder" : "readable only by you";
  return `created ${path}, ${readers}; it contains the credentials of all its environments`;
}

async function prepareFile(place: FilePlace, io: FileUser, { log }: ServeDataOptions): Promise<ServedData> {
  const { path } = place;
  const unsafe = refuseUnsafeFile(path, io);
  const created = await createIfMissing(place, io);
  if (created) log("info", `${created}; appvars env credentials NAME prints them`);
  for (const warning of [unsafe, looseModeWarning(path)]) if (warning) log("warn", warning);
  const { user, groups, env } = io;
  const unsafeFiles = { [ALLOW_VARIABLE]: env[ALLOW_VARIABLE] };
  return { kind: "file", path, user: { user, groups, env: unsafeFiles } };
}

/** @returns the message if it was created @throws InvalidDataError if it is missing and has a name, or can't be created */
async function createIfMissing({ path, isDefault }: FilePlace, io: FileUser): Promise<string | undefined> {
  const isThere = await access(path).then(
    () => true,
    (error) => !hasCode(error, "ENOENT"),
  );
  if (isThere) return undefined;
  // A typing mistake, or a volume that is not mounted, must not look like an empty server.
  if (!isDefault)
    throw new InvalidDataError(`${path} does not exist; to create it: ${command`appvars init --data ${path}`}`);
  try {
    return await createFile(path, io, (await import("../../store/starter-data.js")).starterData({ examples: true }));
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
