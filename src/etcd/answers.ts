import { ServerError } from "../kit/text/errors.js";
import {
  ANYTHING,
  applyRule,
  COUNT,
  FLAG,
  open,
  optional,
  POSITIVE,
  type Rule,
  TEXT,
  textOr,
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
  /** By ascending key. */
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

/** The form of an answer, and what the program makes of it. */
export interface AnswerForm<T> {
  readonly rule: Rule;
  /** @param json keeps the rule, with defaults filled in */
  readonly toAnswer: (json: never) => T;
}

// Numbers of 64 bits are texts in the JSON of etcd, and members with their default are left out.
// Later versions may add members.
const integer = textOr({ text: /^\d{1,15}$/ }, COUNT);
const revision = textOr({ text: /^[1-9]\d{0,14}$/ }, POSITIVE);
const flag: Rule = { ...FLAG, otherwise: false };
const text: Rule = { ...TEXT, otherwise: "" };

/** An entry of a range. `key` and `value` are base64. */
interface Entry {
  readonly key: string;
  readonly value: string;
  readonly mod_revision: number | string;
}
const entry = open({ key: TEXT, value: text, mod_revision: revision });

interface Range {
  readonly kvs: readonly Entry[];
}
const range = open({ kvs: { items: entry, otherwise: [] } });

interface TransactionJson {
  readonly header: { readonly cluster_id: string; readonly revision: number | string };
  readonly succeeded: boolean;
  readonly responses: readonly { readonly response_range: Range }[];
}
const transaction = open({
  header: open({ cluster_id: TEXT, revision }),
  succeeded: flag,
  responses: { items: open({ response_range: { ...range, otherwise: {} } }), otherwise: [] },
});

function toTransaction({ header, succeeded, responses }: TransactionJson) {
  const { cluster_id: clusterId, revision } = header;
  const ranges = responses.map(
    ({ response_range: { kvs } }): RangeAnswer => ({ clusterId, entries: kvs.map(toStoredKey) }),
  );
  return { succeeded, revision: Number(revision), ranges };
}

function toStoredKey({ key, value, mod_revision }: Entry): StoredKey {
  return {
    key: Buffer.from(key, "base64").toString("utf8"),
    value: Buffer.from(value, "base64"),
    modRevision: Number(mod_revision),
  };
}

interface ErrorJson {
  readonly code?: number | string;
  readonly grpc_code?: number | string;
  readonly message: string;
  readonly error: string;
}

interface WatchJson {
  readonly error?: unknown;
  readonly result?: { created: boolean; canceled: boolean; events: readonly unknown[] };
}
const watchResult = open({
  created: flag,
  canceled: flag,
  events: { items: ANYTHING, otherwise: [] },
});

export const ANSWERS = {
  transaction: { rule: transaction, toAnswer: toTransaction },
  lease: {
    rule: open({ ID: { text: /^[1-9]\d{0,19}$/ } }),
    toAnswer: ({ ID }: { ID: string }) => ID,
  },
  token: {
    rule: open({ token: { text: /^[\x21-\x7e]{1,8192}$/ } }),
    toAnswer: ({ token }: { token: string }) => token,
  },
  watch: {
    rule: open({ error: optional(ANYTHING), result: optional(watchResult) }),
    toAnswer: (json: WatchJson) => json,
  },
  error: {
    rule: open({
      code: optional(integer),
      grpc_code: optional(integer),
      message: text,
      error: text,
    }),
    toAnswer: ({ grpc_code = 0, code = grpc_code, ...texts }: ErrorJson) => ({
      code: Number(code),
      ...texts,
    }),
  },
  any: { rule: ANYTHING, toAnswer: () => undefined },
} as const;

/** @throws ServerError for another form. Its message quotes nothing of the text */
export function parseAnswer<T>({ rule, toAnswer }: AnswerForm<T>, text: string): T {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw malformed("is not JSON");
  }
  return toAnswer(applyRule(rule, json, () => malformed()) as never);
}

/**
 * Whether a line of a watch tells that it has begun, or of changes.
 *
 * @throws ServerError also if etcd ends it
 */
export function parseWatch(line: string): boolean {
  const { error, result } = parseAnswer(ANSWERS.watch, line);
  if (error !== undefined) throw refusal(JSON.stringify(error));
  if (!result) throw malformed();
  // Its token has expired.
  if (result.canceled) throw new ServerError("it ends the watch", 200);
  return result.created || result.events.length > 0;
}

/** The codes of gRPC that say that a request was not carried out. */
const REFUSED_CODES = [3, 5, 6, 7, 8, 9, 11, 12, 16];

/** The error of an answer other than 200. */
export function refusal(text: string): ServerError {
  const { code, message, error } = parseAnswer(ANSWERS.error, text);
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
