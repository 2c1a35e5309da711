import { foreignWriter } from "../../kit/files/owners.js";
import { statIfExists } from "../../kit/files/system-errors.js";
import { checkCertifiedKey } from "../../kit/net/certificates.js";
import type { TlsTexts } from "../../kit/net/tls-options.js";
import { checkDecoded, decodeUtf8 } from "../../kit/text/decode-utf8.js";
import { UnauthorizedError, UsageError } from "../../kit/text/errors.js";
import { describeFile, readNamedFile, readStdin } from "../named-file.js";
import type { Caller } from "../surroundings.js";
import type { ClientTlsFiles, SecretSetting } from "./connection.js";
import { SETTINGS, type Setting } from "./setting-table.js";

/** The secret in a setting, or in the file that it names. @throws UsageError if it can't be read */
export async function readSecret(setting: SecretSetting, caller: Caller): Promise<string> {
  const { surroundings } = caller;
  const { name, text, from } = setting;
  if (SETTINGS[name].is !== "file") {
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
  const read = async (file: Setting | undefined) => file && (await readNamedFile(file)).toString();
  const ca = await read(caFile);
  if (caFile && !ca?.includes("-----BEGIN CERTIFICATE-----"))
    throw new UsageError(`${describeFile(caFile)} contains no PEM certificate`);
  const [cert, key] = [await read(clientCert), await read(clientKey)];
  if (cert !== undefined && key !== undefined)
    checkCertifiedKey(
      { cert, key },
      { cert: describeFile(clientCert), key: describeFile(clientKey) },
    );
  return { ca, cert, key };
}
