import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import fresh from "fresh";
import { REVISION_HEADER } from "../../model/http-headers.js";
import type { Read } from "../../model/read.js";
import { targetOf } from "../../model/routes.js";
import type { EnvironmentView, RecordIdentity } from "../../service/environment-view.js";
import { jsonReply, type Reply } from "../wire/replies.js";

/** The size of all kept replies, in bytes if their text is ASCII. */
const MAX_KEPT = 64 * 1_024 * 1_024;
/** Bytes for the headers of a reply and their containers. */
const OVERHEAD = 1_024;
/** Bytes for a record that an audit log names. */
const IDENTITY = 64;

/** A reply with data. */
export interface DataReply extends Reply {
  /** The variables and values that it tells of, for an audit log. */
  readonly read: readonly RecordIdentity[] | undefined;
}

interface KeptReply extends DataReply {
  readonly tag: string;
  readonly notModified: DataReply;
}

/**
 * Answers reads of a view, with ETags, and keeps the replies: making the one with all values takes
 * a thousand times as long as sending it. Each is kept under the revision of the data and its
 * read's own target, so that other parameters don't make it again.
 */
export class DataReplies {
  readonly #isAudited: boolean;
  /** The least recently used first. */
  readonly #kept = new Map<string, KeptReply>();
  #size = 0;

  /** @param isAudited whether replies list the records that they tell of */
  constructor(isAudited: boolean) {
    this.#isAudited = isAudited;
  }

  /** The reply to a request for a read's own target, if it is kept. */
  kept(view: EnvironmentView, target: string, headers: IncomingHttpHeaders): DataReply | undefined {
    const key = `${view.revision} ${target}`;
    const reply = this.#kept.get(key);
    if (!reply) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, reply);
    return headers["if-none-match"] !== undefined && fresh(headers, { etag: reply.tag })
      ? reply.notModified
      : reply;
  }

  /**
   * Finds or makes the reply to a read.
   *
   * @throws NotFoundError
   */
  answer(view: EnvironmentView, asked: Read, headers: IncomingHttpHeaders): DataReply {
    const read = view.withoutUnknown(asked);
    const target = targetOf(read);
    const kept = this.kept(view, target, headers);
    if (kept) return kept;
    this.#keep(`${view.revision} ${target}`, this.#make(view, read));
    return this.kept(view, target, headers) as DataReply;
  }

  #make(view: EnvironmentView, read: Read): KeptReply {
    const json = JSON.stringify(view.find(read));
    const tag = etagOf(json);
    const headers = [REVISION_HEADER, view.revision, "ETag", tag];
    const identities = this.#isAudited ? view.identify(read) : undefined;
    const notModified = { status: 304, headers, body: "", read: identities };
    return { ...jsonReply(200, json, headers), read: identities, tag, notModified };
  }

  #keep(key: string, reply: KeptReply): void {
    this.#kept.set(key, reply);
    this.#size += sizeOf(key, reply);
    for (const [oldest, dropped] of this.#kept) {
      // At least one is kept, of any size.
      if (this.#size <= MAX_KEPT || oldest === key) return;
      this.#kept.delete(oldest);
      this.#size -= sizeOf(oldest, dropped);
    }
  }
}

function sizeOf(key: string, { body, read = [] }: KeptReply): number {
  return OVERHEAD + key.length + body.length + IDENTITY * read.length;
}

/**
 * The tags of the package `etag`, which takes twice as long: it makes an object that has to be
 * finalized.
 */
function etagOf(json: string): string {
  return `"${Buffer.byteLength(json).toString(16)}-${hash("sha1", json, "base64").slice(0, 27)}"`;
}
