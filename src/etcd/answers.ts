import { ServerError } from "../domain/errors.js";

/** A stored key of etcd. */
export interface Entry {
  readonly key: string;
  readonly value: Buffer;
  /** The revision that last changed it. */
  readonly modRevision: number;
}

export interface RangeAnswer {
  readonly clusterId: string;
  /** The revision of the whole cluster at which it was read. */
  readonly revision: number;
  /** By ascending key. */
  readonly entries: readonly Entry[];
  /** Whether there are more than the limit. */
  readonly hasMore: boolean;
}

/** A change of one key: the entry, or only its key if it was deleted. */
export type KeyChange = Omit<Entry, "value"> & { readonly value: Buffer | undefined };

export interface WatchAnswer {
  readonly clusterId: string;
  readonly changes: readonly KeyChange[];
}

/** Thrown for a revision that etcd no longer keeps. */
export class CompactedError extends ServerError {}

// Numbers of 64 bits are texts in the JSON of etcd, and members with their default are left out. Later versions may add
// members.

type Json = Record<string, unknown>;

/** @throws ServerError */
export function parseAnswer(text: string): Json {
  try {
    return asObject(JSON.parse(text));
  } catch (error) {
    // JSON.parse's own message quotes the text.
    throw error instanceof ServerError ? error : malformed("is not JSON");
  }
}

export function parseRange(answer: Json): RangeAnswer {
  const entries = asList(answer["kvs"]).map(parseEntry);
  const hasMore = answer["more"] === true;
  // Reading page by page would never end.
  if (hasMore && entries.length === 0) throw malformed("is an empty page");
  return { ...parseHeader(answer), entries, hasMore };
}

export function parseTxn(answer: Json): { succeeded: boolean; revision: number } {
  return { succeeded: answer["succeeded"] === true, revision: parseHeader(answer).revision };
}

export function parseToken(answer: Json): string {
  const token = asText(answer["token"]);
  if (!/^[\x21-\x7e]{1,8192}$/.test(token)) throw malformed("has no token");
  return token;
}

/** Thrown when etcd ends a watch, which it also does for a token that expired. */
export class CanceledWatchError extends ServerError {}

/** @throws CompactedError, CanceledWatchError, ServerError */
export function parseWatch(line: Json): WatchAnswer {
  if (line["error"] !== undefined) throw refusal(asObject(line["error"]));
  const result = asObject(line["result"]);
  if (asNumber(result["compact_revision"]) > 0) throw compacted();
  if (result["canceled"] === true) throw new CanceledWatchError("it ends the watch", 200);
  const changes = asList(result["events"]).map((event) => {
    const { type = "PUT", kv } = asObject(event);
    const { key, value, modRevision } = parseEntry(kv);
    if (type !== "PUT" && type !== "DELETE") throw malformed("has an event of an unknown type");
    return { key, value: type === "PUT" ? value : undefined, modRevision };
  });
  return { clusterId: parseHeader(result).clusterId, changes };
}

/** The codes of gRPC that say that a request was not carried out. */
const REFUSED_CODES = [3, 5, 6, 7, 8, 9, 11, 12, 16];

/** Thrown when etcd refuses a request: it has not been carried out. */
export class RefusedError extends ServerError {
  /** Of gRPC. */
  readonly grpcCode: number;
  constructor(message: string, grpcCode: number) {
    super(message, 400);
    this.grpcCode = grpcCode;
  }
}

/** The error of an answer other than 200. */
export function refusal(answer: Json): ServerError {
  const code = asNumber(answer["code"] ?? answer["grpc_code"]);
  const message = shortMessage(answer["message"] ?? answer["error"]);
  if (code === 11 && message.includes("compacted")) return compacted();
  return REFUSED_CODES.includes(code) ? new RefusedError(message, code) : new ServerError(message, 503);
}

function compacted(): CompactedError {
  return new CompactedError("this revision of the data is no longer kept", 400);
}

/** etcd's own messages have no values; those of something else might. */
function shortMessage(message: unknown): string {
  const text = typeof message === "string" ? message : "";
  return /^(?:etcdserver|auth|context|raft): [\x20-\x7e]{1,200}$/.test(text) ? text : "it refuses the request";
}

function parseHeader(json: Json): { clusterId: string; revision: number } {
  const header = asObject(json["header"]);
  return { clusterId: asText(header["cluster_id"]), revision: asRevision(header["revision"]) };
}

function parseEntry(json: unknown): Entry {
  const { key, value = "", mod_revision: modRevision } = asObject(json);
  return {
    key: Buffer.from(asText(key), "base64").toString("utf8"),
    value: Buffer.from(asText(value), "base64"),
    modRevision: asRevision(modRevision),
  };
}

function asObject(json: unknown): Json {
  if (typeof json !== "object" || json === null || Array.isArray(json)) throw malformed("is incomplete");
  return json as Json;
}

function asList(json: unknown = []): unknown[] {
  if (!Array.isArray(json)) throw malformed("has no list");
  return json;
}

function asText(json: unknown): string {
  if (typeof json !== "string") throw malformed("has no text");
  return json;
}

/** 0 if it is left out. */
function asNumber(json: unknown = 0): number {
  const isNumber = typeof json === "number" || (typeof json === "string" && /^\d{1,16}$/.test(json));
  if (!isNumber || !Number.isSafeInteger(Number(json)) || Number(json) < 0) throw malformed("has a wrong number");
  return Number(json);
}

/** The first one is 1. */
function asRevision(json: unknown): number {
  const revision = asNumber(json);
  if (revision === 0) throw malformed("has no revision");
  return revision;
}

function malformed(what: string): ServerError {
  return new ServerError(`its answer ${what}; is it the HTTP gateway of etcd 3.4 or newer?`, 200);
}
