import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";
import type { CertifiedKey } from "../../../domain/certificates.js";

const HOUR_MS = 3_600_000;
/** More than `doctor` warns about. */
const VALID_MS = 30 * 24 * HOUR_MS;
const HASH = () => forge.md.sha256.create();

/** A certificate for servers on this machine. */
interface ThrowawayCertificates extends CertifiedKey {
  /** The certificate of its authority, whose key nobody keeps. */
  ca: string;
}

/** @param now Unix milliseconds */
export async function makeThrowawayCertificates(now = Date.now()): Promise<ThrowawayCertificates> {
  const [authorityKeys, serverKeys] = await Promise.all([makeKeys(), makeKeys()]);
  const name = [{ name: "commonName", value: "appvars sandbox" }];
  const authority = makeCertificate(authorityKeys.publicKey, now);
  const keyIdentifier = authority.generateSubjectKeyIdentifier().getBytes();
  authority.setSubject(name);
  authority.setIssuer(name);
  authority.setExtensions([
    { name: "basicConstraints", critical: true, cA: true },
    { name: "keyUsage", critical: true, keyCertSign: true },
    { name: "subjectKeyIdentifier" },
  ]);
  authority.sign(authorityKeys.privateKey, HASH());
  const server = makeCertificate(serverKeys.publicKey, now);
  server.setSubject([{ name: "commonName", value: "localhost" }]);
  server.setIssuer(name);
  server.setExtensions([
    { name: "basicConstraints", critical: true, cA: false },
    { name: "keyUsage", critical: true, digitalSignature: true, keyEncipherment: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectAltName", altNames: [dnsName("localhost"), ipAddress("127.0.0.1"), ipAddress("::1")] },
    { name: "subjectKeyIdentifier" },
    { name: "authorityKeyIdentifier", keyIdentifier },
  ]);
  server.sign(authorityKeys.privateKey, HASH());
  return {
    ca: forge.pki.certificateToPem(authority),
    cert: forge.pki.certificateToPem(server),
    key: serverKeys.privatePem,
  };
}

/** Node makes them in another thread, and much faster than node-forge. */
async function makeKeys() {
  const pair = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2_048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    publicKey: forge.pki.publicKeyFromPem(pair.publicKey),
    privateKey: forge.pki.privateKeyFromPem(pair.privateKey),
    privatePem: pair.privateKey,
  };
}

function makeCertificate(publicKey: forge.pki.PublicKey, now: number): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = publicKey;
  // Positive, and without a zero byte at its start.
  certificate.serialNumber = `4${randomBytes(16).toString("hex").slice(1)}`;
  // Other clocks may be behind.
  certificate.validity.notBefore = new Date(now - HOUR_MS);
  certificate.validity.notAfter = new Date(now + VALID_MS);
  return certificate;
}

/** Types of names: RFC 5280, 4.2.1.6. */
function dnsName(value: string) {
  return { type: 2, value };
}
function ipAddress(ip: string) {
  return { type: 7, ip };
}
