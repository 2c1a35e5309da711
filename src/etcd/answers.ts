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
  /** The revision of its last change. */
  readonly modRevision: number;
}

/** Thrown when etcd refuses a request, which then has no effect. */
export class RefusedError extends ServerError {
  readonly grpcCode: number;
  constructor(message: string, grpcCode: number) {
    super(message, 400);
    this.grpcCode = grpcCode;
  }
}

// In etcd's JSON, 64-bit numbers are strings, and fields with default values
// are omitted. Later versions may add fields.
const open = (fields: Fields) => rule({ fields, allowsUnknown: true });
const matching = (text: RegExp) => rule({ text });
const revision = matching(/^[1-9]\d{0,14}$/);
const flag = { ...BOOLEAN, defaultValue: false };
const text = { ...TEXT, defaultValue: "" };
const listOf = (items: Rule) => rule({ items, defaultValue: [] });
const range = open({ kvs: listOf(open({ key: TEXT, value: text, mod_revision: revision })) });
const TRANSACTION = open({
  header: open({ cluster_id: TEXT, revision }),
  succeeded: flag,
  responses: listOf(open({ response_range: { ...range, defaultValue: {} } })),
});
const LEASE = open({ ID: matching(/^[1-9]\d{0,19}$/) });
const TOKEN = open({ token: matching(/^[\x21-\x7e]{1,8192}$/) });
const WATCH = open({
  error: optional(ANYTHING),
  result: optional(open({ created: flag, canceled: flag, events: listOf(ANYTHING) })),
});
const code = optional(COUNT);
const ERROR_RULE = open({ code, grpc_code: code, message: text, error: text });

interface KeyJson {
  key: string;
  value: string;
  mod_revision: string;
}

interface TransactionJson {
  header: { cluster_id: string; revision: string };
  succeeded: boolean;
  responses: { response_range: { kvs: KeyJson[] } }[];
}

// These functions throw a ServerError, which quotes nothing, for an unexpected
// answer.

/** @param prefix the start of all keys, which is removed */
export function parseTransaction(text: string, prefix: string) {
  const { header, succeeded, responses } = parse<TransactionJson>(TRANSACTION, text);
  const stored = ({ key, value, mod_revision }: KeyJson): StoredKey => {
    const name = Buffer.from(key, "base64").toString();
    if (!name.startsWith(prefix)) throw malformedError();
    return {
      key: name.slice(prefix.length),
      value: Buffer.from(value, "base64"),
      modRevision: Number(mod_revision),
    };
  };
  return {
    clusterId: header.cluster_id,
    revision: Number(header.revision),
    succeeded,
    /** Each sorted by key. */
    ranges: responses.map(({ response_range: { kvs } }) => kvs.map(stored)),
  };
}

export const parseLease = (text: string) => parse<{ ID: string }>(LEASE, text).ID;
export const parseToken = (text: string) => parse<{ token: string }>(TOKEN, text).token;

function parse<T>(rule: Rule, text: string): T {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw malformedError("is not JSON");
  }
  return applyRule<T>(rule, json, () => malformedError());
}

/**
 * Whether a line of a watch reports its start or changes.
 *
 * @throws ServerError also at its end
 */
export function parseWatch(line: string): boolean {
  const { error, result } = parse<{
    error?: unknown;
    result?: { created: boolean; canceled: boolean; events: unknown[] };
  }>(WATCH, line);
  if (error !== undefined) throw refusalError(JSON.stringify(error));
  if (!result) throw malformedError();
  if (result.canceled) throw new ServerError("it ends the watch", 200);
  return result.created || result.events.length > 0;
}

interface ErrorJson {
  code?: number;
  grpc_code?: number;
  message: string;
  error: string;
}

/** gRPC codes of requests that had no effect. */
const REFUSED_CODES = [3, 5, 6, 7, 8, 9, 11, 12, 16];

/** Returns the error for an answer other than 200. */
export function refusalError(text: string): ServerError {
  const { grpc_code = 0, code = grpc_code, message, error } = parse<ErrorJson>(ERROR_RULE, text);
  // etcd's own messages have no values; messages of a proxy might.
  const isOwn = /^(?:etcdserver|auth|context|raft): [\x20-\x7e]{1,200}$/;
  const reason = [message, error].find((each) => isOwn.test(each)) ?? "it refuses the request";
  return REFUSED_CODES.includes(code)
    ? new RefusedError(reason, code)
    : new ServerError(reason, 503);
}

export function malformedError(what = "has an unexpected form"): ServerError {
  return new ServerError(`its answer ${what}; is it the HTTP gateway of etcd 3.4 or newer?`, 200);
}
