import * as v from "valibot";
import { ServerError } from "../kit/text/errors.js";
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

// Numbers of 64 bits are texts in the JSON of etcd, and members with their default are left out.
// Later versions may add members.
const digits = v.pipe(v.string(), v.regex(/^\d{1,16}$/));
const integer = v.pipe(
  v.union([v.number(), digits]),
  v.transform(Number),
  v.safeInteger(),
  v.minValue(0),
);
const revision = v.pipe(integer, v.minValue(1));
const bytes = v.pipe(
  v.string(),
  v.transform((text) => Buffer.from(text, "base64")),
);
const header = v.object({ cluster_id: v.string(), revision });
const entry = v.pipe(
  v.object({ key: bytes, value: v.optional(bytes, ""), mod_revision: revision }),
  v.transform(({ key, value, mod_revision }) => ({
    key: key.toString("utf8"),
    value,
    modRevision: mod_revision,
  })),
);
const range = v.object({ kvs: v.optional(v.array(entry), []) });
const flag = v.optional(v.boolean(), false);
const text = v.optional(v.string(), "");

export const ANSWERS = {
  transaction: v.pipe(
    v.object({
      header,
      succeeded: flag,
      responses: v.optional(v.array(v.object({ response_range: v.optional(range, {}) })), []),
    }),
    v.transform(({ header: { cluster_id, revision }, succeeded, responses }) => ({
      succeeded,
      revision,
      ranges: responses.map(
        ({ response_range: { kvs } }): RangeAnswer => ({ clusterId: cluster_id, entries: kvs }),
      ),
    })),
  ),
  lease: v.pipe(
    v.object({ ID: v.pipe(v.string(), v.regex(/^[1-9]\d{0,19}$/)) }),
    v.transform(({ ID }) => ID),
  ),
  token: v.pipe(
    v.object({ token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,8192}$/)) }),
    v.transform(({ token }) => token),
  ),
  watch: v.object({
    error: v.optional(v.unknown()),
    result: v.optional(
      v.object({ created: flag, canceled: flag, events: v.optional(v.array(v.unknown()), []) }),
    ),
  }),
  error: v.object({
    code: v.optional(integer),
    grpc_code: v.optional(integer),
    message: text,
    error: text,
  }),
  any: v.unknown(),
} as const;

/** @throws ServerError for another form, without a word of the text */
export function parseAnswer<T>(form: v.GenericSchema<unknown, T>, text: string): T {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw malformed("is not JSON");
  }
  const result = v.safeParse(form, json);
  if (!result.success) throw malformed();
  return result.output;
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
  const { grpc_code = 0, code = grpc_code, message, error } = parseAnswer(ANSWERS.error, text);
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
