import { checkCertifiedKey } from "../../kit/crypto/certificates.js";
import { foreignWriter } from "../../kit/files/owners.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import type { TlsPem } from "../../kit/net/tls-options.js";
import { checkDecoded } from "../../kit/process/this-process.js";
import { decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { UnauthorizedError, UsageError } from "../../kit/text/errors.js";
import { describeFile, type NamedFile, readNamedFile, readStdin } from "../files/named-file.js";
import type { Caller } from "../surroundings.js";
import { SETTINGS, type Setting } from "./setting-table.js";

export type SecretSetting = Pick<Setting, "name"> & NamedFile;

/** @throws UsageError if the file can't be read */
export async function readSecret(setting: SecretSetting, caller: Caller): Promise<string> {
  const { surroundings } = caller;
  const { name, text, from } = setting;
  if (SETTINGS[name].kind !== "file") {
    checkDecoded(text, from);
    return text;
  }
  const isStdin = text === "-";
  const bytes = isStdin ? await readStdin(from, surroundings) : await readNamedFile(setting);
  // ssh warns about keys in the same way.
  const foreign = isStdin ? undefined : foreignWriter(statIfExists(text), surroundings);
  if (foreign)
    caller.note(`${describeFile(setting)} ${foreign}, who could choose the secret`, "once");
  const content = decodeUtf8(bytes, `${from}: its content`, { ignoreBOM: !isStdin });
  // The newline at the end of the file is not part of it.
  const secret = content.replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError(`${from}: there is no secret in it`);
  return secret;
}

export function missingSecretError(): UnauthorizedError {
  return new UnauthorizedError(
    "no API secret: set APPVARS_API_SECRET, or name its file with --api-secret-file",
  );
}

/** The settings that name the files for {@link TlsPem}. */
export type TlsFileSettings = Record<keyof TlsPem, Setting | undefined>;

/** @throws UsageError for a file that can't be read, or can't be used */
export async function readTlsFiles(files: TlsFileSettings): Promise<TlsPem> {
  const texts: Partial<Record<keyof TlsFileSettings, string>> = {};
  for (const name of ["ca", "cert", "key"] as const) {
    const file = files[name];
    // Not strictly UTF-8: the comments in a bundle may have any encoding.
    if (file) texts[name] = (await readNamedFile(file)).toString();
  }
  const { ca, cert, key } = texts;
  if (ca !== undefined && !ca.includes("-----BEGIN CERTIFICATE-----"))
    throw new UsageError(`${describeFile(files.ca)} contains no PEM certificate`);
  if (cert !== undefined && key !== undefined)
    checkCertifiedKey(
      { cert, key },
      { cert: describeFile(files.cert), key: describeFile(files.key) },
    );
  return texts;
}
