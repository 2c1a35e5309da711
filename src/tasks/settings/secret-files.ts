import { closeSync } from "node:fs";
import {
  openForReading,
  readRegularFile,
  readStream,
  readToEnd,
} from "../../kit/files/open-file.js";
import { type Account, foreignWriter } from "../../kit/files/owners.js";
import { statIfExists, withPathInErrors } from "../../kit/files/system-errors.js";
import { checkCertifiedKey } from "../../kit/net/certificates.js";
import type { TlsTexts } from "../../kit/net/tls-options.js";
import { checkDecoded, decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { InvalidDataError, UnauthorizedError, UsageError } from "../../kit/text/errors.js";
import type { Io } from "../surroundings.js";
import type { ClientTlsFiles, FileSetting, SecretSetting } from "./connection.js";
import type { Setting } from "./setting-table.js";

export type SecretIo = Account & Pick<Io, "stdin" | "notice">;

/** The secret in a setting, or in the file that it names. @throws UsageError if it can't be read */
export async function readSecret(setting: SecretSetting, io: SecretIo): Promise<string> {
  const { name, text, from } = setting;
  if (!name.endsWith("File")) {
    checkDecoded(text, from);
    return text;
  }
  const isStdin = text === "-";
  const reading = isStdin
    ? withPathInErrors(from, readStream(io.stdin, MAX_FILE_BYTES))
    : readSettingFile(setting);
  const bytes = await reading;
  // ssh warns about keys in the same way.
  const foreign = isStdin ? undefined : foreignWriter(statIfExists(text), io);
  if (foreign) io.notice?.(`${describe(setting)} ${foreign}, who could choose the secret`);
  const content = decodeUtf8(bytes, `${from}: its content`, { ignoreBOM: !isStdin });
  // The newline at the end of the file is not part of it.
  const secret = content.replace(/\r?\n$/, "");
  if (secret === "") throw new UsageError(`${from}: there is no secret in it`);
  return secret;
}

/** Far more than any secret, certificates or dotenv file take. */
const MAX_FILE_BYTES = 16 * 1_024 * 1_024;

/**
 * Reads a file. A pipe is read only if a person has named it, since reading waits for its writer.
 *
 * @throws UsageError if it can't be read, or is larger than 16 MB
 */
export async function readSettingFile(setting: FileSetting): Promise<Buffer> {
  const { text: path, place = "project" } = setting;
  try {
    if (place === "project") return (await readRegularFile(path, MAX_FILE_BYTES)).bytes;
    const file = await openForReading(path, { waitForWriter: true });
    return await readToEnd(file, 0, MAX_FILE_BYTES).finally(() => closeSync(file));
  } catch (error) {
    if (error instanceof InvalidDataError)
      throw new UsageError(`${describe(setting)} ${error.message}`);
    throw new UsageError(
      `${describe(setting)} can't be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

export function missingSecretError(): UnauthorizedError {
  return new UnauthorizedError(
    "no API secret: set APPVARS_API_SECRET, or name its file with --api-secret-file",
  );
}

export function missingKeyError(): UnauthorizedError {
  return new UnauthorizedError("no API key: set APPVARS_API_KEY or add --api-key");
}

/**
 * @throws UsageError for a file that can't be read, has no certificates, or can't be used with the
 *   other one
 */
export async function readTlsFiles({
  caFile,
  clientCert,
  clientKey,
}: ClientTlsFiles): Promise<TlsTexts> {
  // Not strictly UTF-8: the comments in a bundle may have any encoding.
  const read = async (file: Setting | undefined) =>
    file && (await readSettingFile(file)).toString();
  const ca = await read(caFile);
  if (caFile && !ca?.includes("-----BEGIN CERTIFICATE-----"))
    throw new UsageError(`${describe(caFile)} contains no PEM certificate`);
  const [cert, key] = [await read(clientCert), await read(clientKey)];
  if (cert !== undefined && key !== undefined)
    checkCertifiedKey({ cert, key }, { cert: describe(clientCert), key: describe(clientKey) });
  return { ca, cert, key };
}

function describe(file: FileSetting | undefined): string {
  return `${file?.from} ${file?.text}`;
}
