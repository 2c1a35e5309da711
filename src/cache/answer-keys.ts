import { createHmac, hkdfSync } from "node:crypto";

/** What the answers of one server to one pair of credentials are kept under. */
export interface AnswerOwner {
  /** Origin of the server. */
  url: string;
  apiKey: string | undefined;
  apiSecret: string;
}

/** What was asked for: the name of a method and its arguments. */
export type AnswerRequest = readonly (string | number)[];

/** Names and keys for an owner's answers. Whoever has not got the API secret can compute none of them. */
export interface AnswerKeys {
  /** Name for the folder with all of the owner's answers. */
  folderName: string;
  fileName: (request: AnswerRequest) => string;
  /** What an answer belongs to, to be authenticated with it. */
  context: (request: AnswerRequest) => string;
  /** For AES-256. */
  sealingKey: Buffer;
}

/** HKDF-SHA256 (RFC 5869) of the API secret, with a label of its own for each use. */
export function deriveAnswerKeys({ url, apiKey, apiSecret }: AnswerOwner): AnswerKeys {
  const derive = (label: string) => Buffer.from(hkdfSync("sha256", apiSecret, "", `appvars cache v1 ${label}`, 32));
  const namingKey = derive("names");
  const owner = [url, apiKey ?? null];
  const nameOf = (what: unknown) => createHmac("sha256", namingKey).update(JSON.stringify(what)).digest("hex");
  return {
    folderName: nameOf(owner),
    fileName: (request) => nameOf([...owner, request]),
    context: (request) => JSON.stringify([...owner, request]),
    sealingKey: derive("contents"),
  };
}
