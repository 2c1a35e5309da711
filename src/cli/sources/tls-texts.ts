import { checkCertifiedKey } from "../../domain/certificates.js";
import { UsageError } from "../../domain/errors.js";
import type { TlsTexts } from "../../domain/tls-options.js";
import type { TlsFiles } from "../settings/data-place.js";
import { readSettingFile } from "../settings/secrets.js";
import type { Setting } from "../settings/setting.js";

/** @throws UsageError for a file that can't be read, has no certificates, or can't be used with the other one */
export async function readTlsFiles({ caFile, clientCert, clientKey }: TlsFiles): Promise<TlsTexts> {
  // Not strictly UTF-8: the comments in a bundle may have any encoding.
  const read = async (file: Setting | undefined) => file && (await readSettingFile(file.text, file.from)).toString();
  const ca = await read(caFile);
  if (caFile && !ca?.includes("-----BEGIN CERTIFICATE-----"))
    throw new UsageError(`${describe(caFile)} contains no PEM certificate`);
  const [cert, key] = [await read(clientCert), await read(clientKey)];
  if (cert !== undefined && key !== undefined)
    checkCertifiedKey({ cert, key }, { cert: describe(clientCert), key: describe(clientKey) });
  return { ca, cert, key };
}

function describe(file: Setting | undefined): string {
  return `${file?.from} ${file?.text}`;
}
