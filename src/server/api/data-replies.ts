import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import fresh from "fresh";
import type { RecordIdentity } from "../../model/audit-line.js";
import { REVISION_HEADER } from "../../model/reads/http-headers.js";
import type { Read } from "../../model/reads/read.js";
import { targetOf } from "../../model/reads/routes.js";
import type { EnvironmentView } from "../../service/environment-view.js";
import { jsonReply, type Reply } from "../wire/replies.js";

/** The size of all kept replies, in bytes if their text is ASCII. */
const MAX_CACHED = 64 * 1_024 * 1_024;
/** Bytes of a reply's headers and containers. */
const OVERHEAD = 1_024;
/** Bytes of a record that an audit log names. */
const IDENTITY = 64;

export interface DataReply extends Reply {
  /** The records in it, for an audit log. */
  readonly read: readonly RecordIdentity[] | undefined;
}

interface CachedReply extends DataReply {
  readonly tag: string;
  readonly notModified: DataReply;
}

/**
 * Answers reads of a view, with ETags, and keeps the replies: making one with
 * all values takes a thousand times as long as sending it. Each is kept under
 * the read's own target, without unknown parameters. When there are too many,
 * all are dropped.
 */
export class DataReplies {
  readonly #isAudited: boolean;
  #cache = new WeakMap<EnvironmentView, Map<string, CachedReply>>();
  #size = 0;

  /** @param isAudited whether replies list the records in them */
  constructor(isAudited: boolean) {
    this.#isAudited = isAudited;
  }

  /** Returns the kept reply to a read's own target, if there is one. */
  cached(
    view: EnvironmentView,
    target: string,
    headers: IncomingHttpHeaders,
  ): DataReply | undefined {
    const reply = this.#cache.get(view)?.get(target);
    return reply && replyTo(headers, reply);
  }

  /** Finds or makes the reply to a read. @throws NotFoundError */
  answer(view: EnvironmentView, asked: Read, headers: IncomingHttpHeaders): DataReply {
    const read = view.withoutUnknown(asked);
    const target = targetOf(read);
    return this.cached(view, target, headers) ?? replyTo(headers, this.#make(view, read, target));
  }

  #make(view: EnvironmentView, read: Read, target: string): CachedReply {
    const json = JSON.stringify(view.find(read));
    // The same tag as the package `etag` makes, in half the time.
    const digest = hash("sha1", json, "base64").slice(0, 27);
    const tag = `"${Buffer.byteLength(json).toString(16)}-${digest}"`;
    const headers = [REVISION_HEADER, view.revision, "ETag", tag];
    const identities = this.#isAudited ? view.identify(read) : undefined;
    const notModified = { status: 304, headers, body: "", read: identities };
    const reply = { ...jsonReply(200, json, headers), read: identities, tag, notModified };
    this.#store(view, target, reply);
    return reply;
  }

  #store(view: EnvironmentView, target: string, reply: CachedReply): void {
    const { body, read = [] } = reply;
    const size = OVERHEAD + target.length + body.length + IDENTITY * read.length;
    if (this.#size + size > MAX_CACHED) [this.#cache, this.#size] = [new WeakMap(), 0];
    this.#size += size;
    const replies = this.#cache.get(view) ?? new Map<string, CachedReply>();
    this.#cache.set(view, replies.set(target, reply));
  }
}

function replyTo(headers: IncomingHttpHeaders, reply: CachedReply): DataReply {
  return headers["if-none-match"] !== undefined && fresh(headers, { etag: reply.tag })
    ? reply.notModified
    : reply;
}
