import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import fresh from "fresh";
import { REVISION_HEADER } from "../domain/http-headers.js";
import type { Read } from "../domain/read.js";
import type { EnvironmentView } from "../service/environment-view.js";
import { type HeaderList, jsonReply, type Reply } from "./replies.js";

/** Of the answers that are kept, over all environments: bytes, if their text is ASCII. */
const MAX_KEPT = 32 * 1_024 * 1_024;
/** Of each answer: its headers and their containers. */
const OVERHEAD = 1_024;

interface DataReply extends Reply {
  readonly tag: string;
}

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

  /** @param parse makes the read that a target asks for */
  reply({ headers }: IncomingMessage, view: EnvironmentView, target: string, parse: () => Read): Reply {
    const reply = this.#kept.get(view)?.get(target) ?? this.#keep(view, target, parse());
    const isKnown = headers["if-none-match"] !== undefined && fresh(headers, { etag: reply.tag });
    return isKnown ? { status: 304, headers: dataHeaders(view, reply.tag), body: "", read: reply.read } : reply;
  }

  #keep(view: EnvironmentView, target: string, read: Read): DataReply {
    const json = JSON.stringify(view.find(read));
    const tag = etagOf(json);
    const reply = {
      tag,
      ...jsonReply(200, json, dataHeaders(view, tag)),
      read: this.#isAudited ? view.identify(read) : undefined,
    };
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

function dataHeaders({ revision }: EnvironmentView, tag: string): HeaderList {
  return [REVISION_HEADER, revision, "ETag", tag];
}

/** The tags of the package `etag`, which takes twice as long: it makes an object that has to be finalized. */
function etagOf(json: string): string {
  return `"${Buffer.byteLength(json).toString(16)}-${hash("sha1", json, "base64").slice(0, 27)}"`;
}
