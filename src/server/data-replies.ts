import { hash } from "node:crypto";
import fresh from "fresh";
import { REVISION_HEADER } from "../domain/http-headers.js";
import type { Read } from "../domain/read.js";
import type { EnvironmentView } from "../service/environment-view.js";
import type { AppRequest } from "./middleware.js";
import { jsonReply, type Reply } from "./replies.js";

/** Of the answers that are kept, over all environments: bytes, if their text is ASCII. */
const MAX_KEPT = 32 * 1_024 * 1_024;
/** Of each answer: its headers and their containers. */
const OVERHEAD = 1_024;

interface DataReply extends Reply {
  readonly tag: string;
  /** Of the path. */
  readonly route: string | undefined;
  readonly notModified: Reply;
}

type DataRequest = Pick<AppRequest, "method" | "headers" | "target" | "route" | "view">;

/**
 * Answers with the data of a view and their ETags. Keeps them, since many requests ask for the same: a page takes as long
 * to put together as a request to answer. When there are too many, all are dropped.
 */
export class DataReplies {
  /** By the targets that clients sent, so the answers to one path with different queries are kept apart. */
  #kept = new WeakMap<EnvironmentView, Map<string, DataReply>>();
  #size = 0;

  readonly #isAudited: boolean;

  /** @param isAudited whether answers list the records that they tell of */
  constructor(isAudited: boolean) {
    this.#isAudited = isAudited;
  }

  /** The answer to a request, if it is kept. */
  readonly kept = (req: DataRequest): Reply | undefined => {
    const reply = this.#kept.get(req.view)?.get(req.target);
    if (reply === undefined || (req.method !== "GET" && req.method !== "HEAD")) return undefined;
    req.route = reply.route;
    return replyTo(req, reply);
  };

  /** Makes the answer to a request, and keeps it. @param read the data that it asks for */
  make(req: DataRequest, read: Read): Reply {
    return replyTo(req, this.#keep(req, read));
  }

  #keep({ view, target, route }: DataRequest, read: Read): DataReply {
    const json = JSON.stringify(view.find(read));
    const tag = etagOf(json);
    const headers = [REVISION_HEADER, view.revision, "ETag", tag];
    const identities = this.#isAudited ? view.identify(read) : undefined;
    const notModified = { status: 304, headers, body: "", read: identities };
    const reply = { ...jsonReply(200, json, headers), read: identities, tag, route, notModified };
    const size = OVERHEAD + target.length + reply.body.length;
    if (size > MAX_KEPT) return reply;
    this.#size += size;
    if (this.#size > MAX_KEPT) {
      this.#kept = new WeakMap();
      this.#size = size;
    }
    const ofView = this.#kept.get(view) ?? new Map<string, DataReply>();
    this.#kept.set(view, ofView.set(target, reply));
    return reply;
  }
}

function replyTo({ headers }: DataRequest, reply: DataReply): Reply {
  return headers["if-none-match"] !== undefined && fresh(headers, { etag: reply.tag }) ? reply.notModified : reply;
}

/** The tags of the package `etag`, which takes twice as long: it makes an object that has to be finalized. */
function etagOf(json: string): string {
  return `"${Buffer.byteLength(json).toString(16)}-${hash("sha1", json, "base64").slice(0, 27)}"`;
}
