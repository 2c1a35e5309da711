import { ServerError } from "../kit/text/errors.js";
import {
  ANYTHING,
  applyRule,
  BOOLEAN,
  COUNT,
  type Fields,
  optional,
  type Rule,
  rule,
  TEXT,
} from "../kit/text/rules.js";
import { parseJson } from "../kit/text/strict-json.js";

export interface StoredKey {
  readonly key: string;
  readonly value: Buffer;
  /** The revision that last changed it. */
  readonly modRevision: number;
}

export interface RangeAnswer {
  readonly clusterId: string;
  /** The entries, by ascending key. */
  readonly entries: readonly StoredKey[];
}

/** Thrown when etcd refuses a request: it has not been carried out. */
export class RefusedError extends ServerError {
  /** The status code of gRPC. */
  readonly grpcCode: number;
  constructor(message: string, grpcCode: number) {
    super(message, 400);
    this.grpcCode = grpcCode;
  }
}

// Numbers of 64 bits are texts in the JSON of etcd, and members with their default are left out.
// Later versions may add members.

const open = (fields: Fields) => rule({ fields, isOpen: true });
const matching = (pattern: RegExp) => rule({ text: pattern });
const revision = matching(/^[1-9]\d{0,14}$/);
const flag = { ...BOOLEAN, otherwise: false };
const text = { ...TEXT, otherwise: "" };
const listOf = (items: Rule) => rule({ items, otherwise: [] });
const entry = open({ key: TEXT, value: text, mod_revision: revision });
const range = open({ kvs: listOf(entry) });
const TRANSACTION = open({
  header: open({ cluster_id: TEXT, revision }),
  succeeded: flag,
  responses: listOf(open({ response_range: { ...range, otherwise: {} } })),
});
const LEASE = open({ ID: matching(/^[1-9]\d{0,19}$/) });
const TOKEN = open({ token: matching(/^[\x21-\x7e]{1,8192}$/) });
const WATCH = open({
  error: optional(ANYTHING),
  result: optional(open({ created: flag, canceled: flag, events: listOf(ANYTHING) })),
});
const ERROR = open({
  code: optional(COUNT),
  grpc_code: optional(COUNT),
  message: text,
  error: text,
});

/** Keys and values are base64. */
interface TransactionJson {
  header: { cluster_id: string; revision: string };
  succeeded: boolean;
  responses: {
    response_range: { kvs: { key: string; value: string; mod_revision: string }[] };
  }[];
}

// Each of these functions throws a ServerError for another form, whose message quotes nothing.

export function parseTransaction(text: string) {
  const { header, succeeded, responses } = parse<TransactionJson>(TRANSACTION, text);
  const ranges = responses.map(
    ({ response_range: { kvs } }): RangeAnswer => ({
      clusterId: header.cluster_id,
      entries: kvs.map(({ key, value, mod_revision }) => ({
        key: Buffer.from(key, "base64").toString("utf8"),
        value: Buffer.from(value, "base64"),
        modRevision: Number(mod_revision),
      })),
    }),
  );
  return { succeeded, revision: Number(header.revision), ranges };
}

export function parseLease(text: string): string {
  return parse<{ ID: string }>(LEASE, text).ID;
}

export function parseToken(text: string): string {
  return parse<{ token: string }>(TOKEN, text).token;
}

function parse<T>(rule: Rule, text: string): T {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw malformed("is not JSON");
  }
  return applyRule<T>(rule, json, () => malformed());
}

interface WatchJson {
  error?: unknown;
  result?: { created: boolean; canceled: boolean; events: unknown[] };
}

/**
 * Whether a line of a watch tells that it has begun, or of changes.
 *
 * @throws ServerError also if etcd ends it
 */
export function parseWatch(line: string): boolean {
  const { error, result } = parse<WatchJson>(WATCH, line);
  if (error !== undefined) throw refusal(JSON.stringify(error));
  if (!result) throw malformed();
  // Its token has expired.
  if (result.canceled) throw new ServerError("it ends the watch", 200);
  return result.created || result.events.length > 0;
}

interface ErrorJson {
  code?: number;
  grpc_code?: number;
  message: string;
  error: string;
}

/** The codes of gRPC that say that a request was not carried out. */
const REFUSED_CODES = [3, 5, 6, 7, 8, 9, 11, 12, 16];

/** The error of an answer other than 200. */
export function refusal(text: string): ServerError {
  const { grpc_code = 0, code = grpc_code, message, error } = parse<ErrorJson>(ERROR, text);
  // etcd's own messages have no values; those of something else might.
  const isOwn = /^(?:etcdserver|auth|context|raft): [\x20-\x7e]{1,200}$/;
  const reason = [message, error].find((each) => isOwn.test(each)) ?? "it refuses the request";
  return REFUSED_CODES.includes(code)
    ? new RefusedError(reason, code)
    : new ServerError(reason, 503);
}

export function malformed(what = "has another form"): ServerError {
  return new ServerError(`its answer ${what}; is it the HTTP gateway of etcd 3.4 or newer?`, 200);
}
