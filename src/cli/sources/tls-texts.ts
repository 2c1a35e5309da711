import { checkCertifiedKey } from "../../domain/certificates.js";
import { UsageError } from "../../domain/errors.js";
import type { TlsTexts } from "../../domain/tls-options.js";
import type { Setting } from "../settings/layers.js";
import { readSettingFile } from "../settings/secrets.js";

/** The path of a file, and what gave it. */
type NamedFile = Pick<Setting, "text" | "from">;

/** The files that a client uses for TLS. */
export interface TlsFiles {
  readonly caFile: NamedFile | undefined;
  /** Both or none. */
  readonly clientCert: NamedFile | undefined;
  readonly clientKey: NamedFile | undefined;
}

/** @throws UsageError for a file that can't be read, has no certificates, or can't be used with the other one */
export async function readTlsFiles({ caFile, clientCert, clientKey }: TlsFiles): Promise<TlsTexts> {
  // Not strictly UTF-8: the comments in a bundle may have any encoding.
  const read = async (file: NamedFile | undefined) => file && (await readSettingFile(file.text, file.from)).toString();
  const ca = await read(caFile);
  if (caFile && !ca?.includes("-----BEGIN CERTIFICATE-----"))
    throw new UsageError(`${describe(caFile)} contains no PEM certificate`);
  const [cert, key] = [await read(clientCert), await read(clientKey)];
  if (cert !== undefined && key !== undefined)
    checkCertifiedKey({ cert, key }, { cert: describe(clientCert), key: describe(clientKey) });
  return { ca, cert, key };
}

function describe(file: NamedFile | undefined): string {
  return `${file?.from} ${file?.text}`;
}
