import { createHmac, hkdfSync } from "node:crypto";
import type { Read } from "../domain/read.js";
import { seal, unseal } from "../encryption/aes-gcm.js";
import type { KeptAnswer } from "./cached-source.js";

/** Whose answers are kept: those of one server to one pair of credentials. */
export interface AnswerOwner {
  /** Origin of the server. */
  url: string;
  apiKey: string | undefined;
  apiSecret: string;
}

/** Names and encryption for an owner's answers. Nobody can compute them without the API secret. */
export interface AnswerKeys {
  folderName: string;
  fileName: (request: Read) => string;
  /** In base64. */
  seal: (request: Read, kept: KeptAnswer) => string;
  /** Undefined for anything but an answer that was sealed with this key for this request. */
  open: (request: Read, text: string) => KeptAnswer | undefined;
}

/** Derived from the API secret by HKDF-SHA256 (RFC 5869), with a label for each use. */
export function deriveAnswerKeys({ url, apiKey, apiSecret }: AnswerOwner): AnswerKeys {
  const derive = (label: string) => Buffer.from(hkdfSync("sha256", apiSecret, "", `appvars cache v2 ${label}`, 32));
  const [namingKey, sealingKey] = [derive("names"), derive("contents")];
  const owner = [url, apiKey ?? null];
  const nameOf = (what: unknown) => createHmac("sha256", namingKey).update(JSON.stringify(what)).digest("hex");
  const context = (request: Read) => JSON.stringify([...owner, request]);
  return {
    folderName: nameOf(owner),
    fileName: (request) => nameOf([...owner, request]),
    seal: (request, kept) => seal(JSON.stringify(kept), sealingKey, context(request)).toString("base64"),
    open: (request, text) => {
      const plain = unseal(Buffer.from(text, "base64"), sealingKey, context(request));
      // Authenticated, so it is what was sealed.
      return plain === undefined ? undefined : (JSON.parse(plain) as KeptAnswer);
    },
  };
}
