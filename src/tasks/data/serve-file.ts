import { accessSync } from "node:fs";
import { looseModeWarning } from "../../kit/files/owners.js";
import { hasCode } from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { command } from "../../kit/text/shell.js";
import { createFileSealing } from "../../store/bytes/data-text.js";
import type { FileSealing } from "../../store/bytes/file-sealing.js";
import type { Data } from "../../store/data.js";
import { createDataFile } from "../../store/file/data-file.js";
import type { Reloadable, Store } from "../../store/store.js";
import { checkFileRisk, requireReloadable } from "../files/safe-files.js";
import { type FileLocation, locationFiles } from "../settings/connection.js";
import { readSecret } from "../settings/secret-files.js";
import type { Caller, Surroundings } from "../surroundings.js";
import type { ServeDataOptions } from "./data-access.js";

/** Creates a data file, and resolves to a message. */
export async function createData(
  path: string,
  { user }: Surroundings,
  data: Data,
  sealing: FileSealing | undefined,
): Promise<string> {
  await createDataFile(path, data, sealing);
  // Windows has no user ids, and gives a file the access rights of its folder.
  const readers =
    user === undefined ? "readable by all who can read its folder" : "readable only by you";
  return `created ${path}, ${readers}; it contains the credentials of all its environments`;
}

/** @see DataAccess.serve */
export async function serveFile(
  location: FileLocation,
  caller: Caller,
  { log }: ServeDataOptions,
): Promise<Store & Reloadable> {
  const { path, sealKey } = location;
  const { surroundings } = caller;
  const sealKeys = sealKey && (await readSecret(sealKey, caller));
  const unsafe = checkFileRisk(path, surroundings);
  const created = await createIfMissing(
    location,
    surroundings,
    await createFileSealing(sealKeys, "sealed"),
  );
  const { openDataFile } = await import("../../store/file/json-file-store.js");
  const check = (file: string) => requireReloadable(file, surroundings);
  const store = await openDataFile(path, { watch: true, sealKeys, check });
  if (created) log("info", `${created}; appvars env credentials NAME prints them`);
  const secret = locationFiles(location).filter(
    ({ text }) => text !== path || sealKeys === undefined,
  );
  const loose = secret.map(({ text }) => looseModeWarning(text));
  for (const warning of [unsafe, ...loose]) if (warning) log("warn", warning);
  return store;
}

/**
 * @returns the message if it was created
 *
 * @throws InvalidDataError if it is missing but named
 */
async function createIfMissing(
  { path, isDefault }: FileLocation,
  surroundings: Surroundings,
  sealing: FileSealing | undefined,
): Promise<string | undefined> {
  try {
    accessSync(path);
    return undefined;
  } catch (error) {
    if (!hasCode(error, "ENOENT")) return undefined;
  }
  // A typing mistake, or a volume that is not mounted, must not look like an
  // empty server.
  if (!isDefault)
    throw new InvalidDataError(
      `${path} does not exist; to create it: ${command`appvars init --data ${path}`}`,
    );
  const { starterData } = await import("../../store/memory/starter-data.js");
  return createData(path, surroundings, starterData({ examples: true }), sealing);
}
