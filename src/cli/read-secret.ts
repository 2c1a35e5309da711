import { checkCredential } from "../client/options.js";
import { UsageError } from "../domain/errors.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import { findSetting, type Setting, type SettingName, type SourceFlags } from "./settings.js";

/** The API secret alone, for what needs no server. @throws UsageError */
export async function findSecret(flags: SourceFlags, io: Io): Promise<string | undefined> {
  const secret = await findText(flags, io, "apiSecret", "apiSecretFile");
  checkCredential("API secret", secret);
  return secret;
}

/** The key for values that clients encrypt. @throws UsageError */
export function findEncryptionKey(flags: SourceFlags, io: Io): Promise<string | undefined> {
  return findText(flags, io, "encKey", "encKeyFile");
}

async function findText(flags: SourceFlags, io: Io, ...names: SettingName[]): Promise<string | undefined> {
  const setting = findSetting(layersOf(flags, io), ...names);
  return setting && readSecret(setting, io);
}

/** A secret that a setting holds, or that is in the file which it names. @throws UsageError when it can't be read */
export async function readSecret({ name, text: given, from }: Setting, io: Pick<Io, "stdin">): Promise<string> {
  if (!name.endsWith("File")) return given;
  const content = given === "-" ? await readAllOf(io.stdin) : await readSettingFile(given, from);
  // The newline at the end of the file is not a part of it.
  const secret = content.replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError(`${from}: there is no secret in it`);
  return secret;
}

/** @throws UsageError when it can't be read */
export async function readSettingFile(path: string, from: string): Promise<string> {
  // Loaded at need, as is what reads a stream: most secrets come from elsewhere, and it would cost each start 2 ms.
  const { readFile } = await import("node:fs/promises");
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${from} ${path} can't be read (${error.code})`);
  });
}

async function readAllOf(stream: Io["stdin"]): Promise<string> {
  const { text } = await import("node:stream/consumers");
  return text(stream);
}
