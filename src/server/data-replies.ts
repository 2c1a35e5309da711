import type { IncomingMessage } from "node:http";
import etag from "etag";
import fresh from "fresh";
import { REVISION_HEADER } from "../domain/http-headers.js";
import type { EnvironmentView } from "../service/environment-view.js";
import { jsonReply, type Reply } from "./replies.js";

/** Of the answers that are kept, over all environments: bytes, if their text is ASCII. */
const MAX_KEPT = 32 * 1_024 * 1_024;
/** Of each answer: its headers and what holds them. */
const OVERHEAD = 1_024;

/** An answer with data, and the one for a client that has it already. */
interface DataReply {
  readonly tag: string;
  readonly full: Reply;
  readonly notModified: Reply;
}

/**
 * Answers with the data of a view and their ETags. Keeps them, since many requests ask for the same: an ETag alone takes
 * as long as checking a signature. When there are too many, all are dropped.
 */
export class DataReplies {
  /** By the targets that clients sent, so the answers to one path with different queries are kept apart. */
  #kept = new WeakMap<EnvironmentView, Map<string, DataReply>>();
  #size = 0;

  /** @param read returns the JSON of the data */
  reply(req: IncomingMessage, view: EnvironmentView, target: string, read: () => string): Reply {
    const reply = this.#kept.get(view)?.get(target) ?? this.#keep(view, target, prepare(view, read()));
    const isKnown = req.headers["if-none-match"] !== undefined && fresh(req.headers, { etag: reply.tag });
    return isKnown ? reply.notModified : reply.full;
  }

  #keep(view: EnvironmentView, target: string, reply: DataReply): DataReply {
    this.#size += OVERHEAD + target.length + reply.full.body.length;
    if (this.#size > MAX_KEPT) {
      this.#kept = new WeakMap();
      this.#size = 0;
    }
    const ofView = this.#kept.get(view) ?? new Map<string, DataReply>();
    this.#kept.set(view, ofView.set(target, reply));
    return reply;
  }
}

function prepare({ revision }: EnvironmentView, json: string): DataReply {
  const tag = etag(json);
  const headers = [REVISION_HEADER, revision, "ETag", tag];
  return { tag, full: jsonReply(200, json, headers), notModified: { status: 304, headers, body: "" } };
}
