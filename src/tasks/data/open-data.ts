import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { looseModeWarning, refuseReadOnly } from "../../kit/files/owners.js";
import { hasCode, toInvalidFile, withPathInErrors } from "../../kit/files/system-errors.js";
import { cleanUpBeforeEnd } from "../../kit/process/signals.js";
import { InvalidDataError, NotFoundError, UsageError } from "../../kit/text/errors.js";
import { suggestion } from "../../kit/text/nearest.js";
import { command } from "../../kit/text/shell.js";
import { type EnvironmentRecord, findEnvironment, qualifiedName } from "../../model/environment.js";
import { NeedsSealKeyError } from "../../model/sealed-text.js";
import type { Data } from "../../store/data.js";
import {
  createDataFile,
  fileSealing,
  openWithoutKeys,
  readDataFile,
} from "../../store/file/data-file.js";
import type { FileSealing, SealedForm } from "../../store/file/file-sealing.js";
import type { History } from "../../store/history.js";
import type { ChangeData, Reloadable, Store, UpdateOptions } from "../../store/store.js";
import {
  describeRisk,
  type FileUser,
  fileRisk,
  refuseToReload,
  refuseUnsafeFile,
} from "../safe-files.js";
import { type DataPlace, type FilePlace, placeFiles } from "../settings/connection.js";
import type { Settings } from "../settings/resolve-settings.js";
import { readSecret } from "../settings/secret-files.js";
import type { Caller } from "../surroundings.js";
import { authorOf } from "./author.js";
import type { LocalData, ServeDataOptions } from "./local-data.js";

/** Who changes data, or only wants to see the change. */
export interface DataCaller extends Caller {
  /** Called in place of the change with the data before and after it. */
  readonly preview?: ((before: Data, after: Data) => Promise<void>) | undefined;
}

export async function localData(place: DataPlace, caller: Caller): Promise<LocalData> {
  if (place.kind === "store") return (await import("./store-data.js")).storeData(place, caller);
  return fileData(place, caller);
}

/** Reads data once, with a warning if other users can change it. @throws InvalidDataError */
export async function readData(place: DataPlace, caller: Caller): Promise<Data> {
  return (await checkedData(place, caller, "read")).read();
}

/**
 * Reads the history of data as `readData` does.
 *
 * @param use gets the history, which is closed afterwards
 */
export async function readHistory<T>(
  place: DataPlace,
  caller: Caller,
  use: (history: History) => Promise<T>,
): Promise<T> {
  return (await checkedData(place, caller, "read")).history(use);
}

/**
 * Changes data in one atomic write. Resolves to the data with the change; to `undefined` if the
 * caller only previews it.
 *
 * @throws InvalidDataError, also if other users can change it; the errors of `applyChange`
 */
export async function updateData(
  place: DataPlace,
  caller: DataCaller,
  change: ChangeData,
  options?: UpdateOptions,
): Promise<Data | undefined> {
  const { preview } = caller;
  if (!preview) return (await checkedData(place, caller, "change")).update(change, options);
  const { applyChange } = await import("../../store/edits/apply-change.js");
  const data = await readData(place, caller);
  await preview(data, await applyChange(data, change, options));
  return undefined;
}

/**
 * The data at a place.
 *
 * @throws InvalidDataError if other users can change it, and it is to be changed
 */
export async function checkedData(
  place: DataPlace,
  caller: Caller,
  purpose: "read" | "change",
): Promise<LocalData> {
  const data = await localData(place, caller);
  const warning = data.check(purpose);
  if (warning) caller.warn(warning);
  return data;
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
  if (!only)
    throw new UsageError("there are no environments yet: create one with appvars env add NAME");
  const choices = environments.map(qualifiedName).join(", ");
  throw new UsageError(`which environment? add --env with one of ${choices}`);
}

/**
 * Which environments a command changes: if it is empty, those that `--env` names, or the only one.
 */
export interface EnvironmentChoice {
  /** All of an application, as `chooseApplication` finds it with the other fields. */
  allEnvs?: boolean | undefined;
  application?: string | undefined;
  names?: readonly string[];
  mayBeNew?: boolean;
}

type Chosen = readonly [EnvironmentRecord, ...EnvironmentRecord[]];

/**
 * Changes environments in one atomic write. Resolves as `updateData`, to these.
 *
 * @param change gets the data at that time, and the environments
 * @throws InvalidDataError, NotFoundError, UsageError; nothing is changed then
 */
export async function editEnvironments(
  settings: Settings,
  caller: DataCaller,
  choice: EnvironmentChoice,
  change: (data: Data, environments: Chosen) => Data | Promise<Data>,
): Promise<Chosen | undefined> {
  let chosen: Chosen | undefined;
  const changed = await updateData(settings.dataPlace, caller, (data) => {
    chosen = chooseEnvironments(data, settings, choice);
    return change(data, chosen);
  });
  return changed && chosen;
}

function chooseEnvironments(data: Data, settings: Settings, choice: EnvironmentChoice): Chosen {
  const { environments } = data;
  if (choice.application !== undefined && !choice.allEnvs)
    throw new UsageError("--application is for --all-envs");
  const application = choice.allEnvs && chooseApplication(data, choice);
  const strongest = application ? undefined : settings.find("env");
  const given = settings.given.filter(
    ({ name, place }) => name === "env" && place === strongest?.place,
  );
  const names = strongest ? given.map(({ text }) => text) : [undefined];
  const [first, ...others] = application
    ? environments.filter((environment) => environment.application === application)
    : new Set(names.map((name) => chooseEnvironment(environments, name)));
  if (!first) throw new UsageError(`the application ${application} has no environments`);
  return [first, ...others];
}

/**
 * The application that `--application` names, or the only one that has one of the variables.
 *
 * @param choice `mayBeNew`: whether the variable may be in none
 * @throws NotFoundError; UsageError if it must be named
 */
export function chooseApplication(
  { environments, variables }: Data,
  { application, names = [], mayBeNew = false }: EnvironmentChoice,
): string {
  const all = [...new Set([...environments, ...variables].map((record) => record.application))];
  if (application !== undefined && !all.includes(application))
    throw new NotFoundError(
      `there is no application "${application}"${suggestion(application, all)}`,
    );
  const wanted = new Set(names);
  const owners = new Set(
    variables.filter(({ name }) => wanted.has(name)).map((record) => record.application),
  );
  if (owners.size === 0 && !mayBeNew) {
    const [missing = ""] = names;
    const existing = variables.map(({ name }) => name);
    throw new NotFoundError(`there is no variable "${missing}"${suggestion(missing, existing)}`);
  }
  const [only = "", ...others] = owners.size > 0 ? owners : all;
  if (application !== undefined || others.length === 0) return application ?? only;
  const choices = [only, ...others].join(", ");
  throw new UsageError(`which application? add --application with one of ${choices}`);
}

function fileData(place: FilePlace, caller: Caller): LocalData {
  const { path, sealKey, mayBePlain } = place;
  const { surroundings } = caller;
  const sealKeys = async () => sealKey && readSecret(sealKey, caller);
  const sealing = async (form: SealedForm = mayBePlain && "kept") =>
    fileSealing(await sealKeys(), form);
  const update = async (change: ChangeData, form?: SealedForm, rules?: UpdateOptions) => {
    // Loaded here, because readers need no lock.
    const { updateDataFile } = await import("../../store/file/update-data-file.js");
    const options = {
      ...rules,
      author: authorOf(caller),
      clock: surroundings.clock,
      sealing: await sealing(form),
    };
    const updating = cleanUpBeforeEnd((signal) =>
      updateDataFile(path, change, { ...options, signal }),
    );
    return withPathInErrors(path, updating);
  };
  return {
    name: path,
    check: (purpose) => {
      if (purpose === "change") {
        refuseUnwritable(path);
        return refuseUnsafeFile(path, surroundings);
      }
      const risk = fileRisk(path, surroundings);
      return risk?.isRefused ? describeRisk(path, risk) : undefined;
    },
    risks: () => {
      const risk = fileRisk(path, surroundings);
      return risk ? [describeRisk(path, risk)] : [];
    },
    read: async () => {
      const open = (await sealing())?.open ?? openWithoutKeys;
      return withPathInErrors(path, readDataFile(path, { open }));
    },
    update: async (change, options) => (await update(change, undefined, options)).data,
    history: async (use) => {
      const { readFileHistory } = await import("../../store/file/file-history.js");
      return use(await withPathInErrors(path, readFileHistory(path, await sealing())));
    },
    follow: async () => {
      const { openDataFile } = await import("../../store/file/json-file-store.js");
      const options = {
        watch: true,
        author: authorOf(caller),
        clock: surroundings.clock,
        sealKeys: await sealKeys(),
      };
      return openDataFile(path, options).catch((error: Error) => {
        // Names and public values need no key.
        if (!(error.cause instanceof NeedsSealKeyError)) throw error;
        return openDataFile(path, { ...options, open: openWithoutKeys });
      });
    },
    create: async (data) => createFile(path, surroundings, data, await sealing("sealed")),
    copyHistory: async (history) => {
      const { copyHistory } = await import("../../store/file/file-history.js");
      await copyHistory(path, history, await sealing("sealed"));
    },
    seal: async (form) => (await update((data) => data, form)).written !== undefined,
    serve: (options) => serveFile(place, caller, options),
  };
}

/** @throws InvalidDataError if a file can't be replaced, or must not be */
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

async function createFile(
  path: string,
  { user }: FileUser,
  data: Data,
  sealing?: FileSealing,
): Promise<string> {
  await createDataFile(path, data, sealing);
  // Without user ids, files have no modes either: Windows takes the access to a file from its
  // folder.
  const readers =
    user === undefined ? "readable by all who can read its folder" : "readable only by you";
  return `created ${path}, ${readers}; it contains the credentials of all its environments`;
}

async function serveFile(
  place: FilePlace,
  caller: Caller,
  { log }: ServeDataOptions,
): Promise<Store & Reloadable> {
  const { path } = place;
  const { surroundings } = caller;
  const unsafe = refuseUnsafeFile(path, surroundings);
  const sealKeys = place.sealKey && (await readSecret(place.sealKey, caller));
  const created = await createIfMissing(place, surroundings, await fileSealing(sealKeys, "sealed"));
  const { openDataFile } = await import("../../store/file/json-file-store.js");
  const check = (file: string) => refuseToReload(file, surroundings);
  const store = await openDataFile(path, { watch: true, sealKeys, check });
  if (created) log("info", `${created}; appvars env credentials NAME prints them`);
  const inClear = placeFiles(place).filter(({ text }) => text !== path || sealKeys === undefined);
  const loose = inClear.map(({ text }) => looseModeWarning(text));
  for (const warning of [unsafe, ...loose]) if (warning) log("warn", warning);
  return store;
}

/**
 * @returns the message if it was created
 *
 * @throws InvalidDataError if it is missing and has a name, or can't be created
 */
async function createIfMissing(
  { path, isDefault }: FilePlace,
  owner: FileUser,
  sealing?: FileSealing,
) {
  try {
    accessSync(path);
    return undefined;
  } catch (error) {
    if (!hasCode(error, "ENOENT")) return undefined;
  }
  // A typing mistake, or a volume that is not mounted, must not look like an empty server.
  if (!isDefault)
    throw new InvalidDataError(
      `${path} does not exist; to create it: ${command`appvars init --data ${path}`}`,
    );
  const { starterData } = await import("../../store/memory/starter-data.js");
  return createFile(path, owner, starterData({ examples: true }), sealing);
}
