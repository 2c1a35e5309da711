import type { KeyObject, X509Certificate } from "node:crypto";
import { builtins } from "../process/builtins.js";
import { UsageError } from "../text/errors.js";

/** The PEM of a certificate, with its chain, and of its private key. */
export interface CertificateAndKey {
  cert: string;
  key: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * @param names the names of the strings in messages
 * @throws UsageError, which quotes neither, if they can't be used together
 */
export function checkCertifiedKey(
  { cert, key }: CertificateAndKey,
  names: CertificateAndKey = { cert: "cert", key: "key" },
): void {
  const [certificate] = parseCertificates(cert, names.cert);
  if (!certificate?.checkPrivateKey(parseKey(key, names.key)))
    throw new UsageError(
      `the key in ${names.key} does not belong to the certificate in ${names.cert}`,
    );
}

/** @throws UsageError if there is none, or one can't be read */
export function parseCertificates(pem: string, name: string): X509Certificate[] {
  try {
    const texts = pem.match(CERTIFICATE) ?? [];
    if (texts.length > 0) return texts.map((text) => new builtins.crypto.X509Certificate(text));
  } catch {}
  throw new UsageError(`${name} contains no PEM certificate, or one that can't be read`);
}

function parseKey(pem: string, name: string): KeyObject {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem))
    throw new UsageError(
      `the key in ${name} is encrypted, and there is no passphrase for it: decrypt it with openssl pkey`,
    );
  try {
    return builtins.crypto.createPrivateKey(pem);
  } catch {
    throw new UsageError(`${name} contains no PEM private key, or one that can't be read`);
  }
}
