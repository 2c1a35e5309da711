import { hash } from "node:crypto";
import fresh from "fresh";
import { REVISION_HEADER } from "../model/http-headers.js";
import type { Read } from "../model/read.js";
import { targetOf } from "../model/routes.js";
import type { EnvironmentView } from "../service/environment-view.js";
import type { AppRequest } from "./middleware.js";
import { jsonReply, type Reply } from "./replies.js";

/** The size of all kept answers, in bytes if their text is ASCII. */
const MAX_KEPT = 32 * 1_024 * 1_024;
/** Bytes for the headers of an answer and their containers. */
const OVERHEAD = 1_024;
/** Bytes for a record that an audit log names. */
const IDENTITY = 64;

interface DataReply extends Reply {
  readonly tag: string;
  readonly notModified: Reply;
}

type DataRequest = Pick<AppRequest, "method" | "headers" | "url" | "view">;
type Generation = WeakMap<EnvironmentView, Map<string, DataReply>>;

/**
 * Answers with the data of a view and their ETags. Making the answer with all values takes a
 * thousand times as long as sending it. Each is kept under its read's own target, so that other
 * parameters don't make it again.
 *
 * When the young generation is full, it replaces the old one, whose answers return to the young one
 * when they are used.
 */
export class DataReplies {
  #young: Generation = new WeakMap();
  #old: Generation = new WeakMap();
  /** The size of the young generation, in bytes. */
  #size = 0;

  readonly #isAudited: boolean;

  /** @param isAudited whether answers list the records that they tell of */
  constructor(isAudited: boolean) {
    this.#isAudited = isAudited;
  }

  /** The answer to a request for a read's own target, if it is kept. */
  readonly kept = (req: DataRequest): Reply | undefined => {
    if (req.method !== "GET" && req.method !== "HEAD") return undefined;
    const reply = this.#find(req.view, req.url);
    return reply && replyTo(req, reply);
  };

  /**
   * Finds or makes the answer to a request.
   *
   * @param asked the read that it asks for
   * @throws NotFoundError
   */
  answer(req: DataRequest, asked: Read): Reply {
    const { view } = req;
    const read = view.withoutUnknown(asked);
    const target = targetOf(read);
    return replyTo(
      req,
      this.#find(view, target) ?? this.#keep(view, target, this.#make(view, read)),
    );
  }

  #find(view: EnvironmentView, target: string): DataReply | undefined {
    const reply = this.#young.get(view)?.get(target);
    if (reply) return reply;
    const old = this.#old.get(view)?.get(target);
    return old && this.#keep(view, target, old);
  }

  #make(view: EnvironmentView, read: Read): DataReply {
    const json = JSON.stringify(view.find(read));
    const tag = etagOf(json);
    const headers = [REVISION_HEADER, view.revision, "ETag", tag];
    const identities = this.#isAudited ? view.identify(read) : undefined;
    const notModified = { status: 304, headers, body: "", read: identities };
    return { ...jsonReply(200, json, headers), read: identities, tag, notModified };
  }

  #keep(view: EnvironmentView, target: string, reply: DataReply): DataReply {
    const size =
      OVERHEAD + target.length + reply.body.length + IDENTITY * (reply.read?.length ?? 0);
    // A larger answer has a generation of its own.
    if (this.#size > 0 && this.#size + size > MAX_KEPT / 2) {
      [this.#old, this.#young, this.#size] = [this.#young, new WeakMap(), 0];
    }
    this.#size += size;
    const ofView = this.#young.get(view) ?? new Map<string, DataReply>();
    this.#young.set(view, ofView.set(target, reply));
    return reply;
  }
}

function replyTo({ headers }: DataRequest, reply: DataReply): Reply {
  return headers["if-none-match"] !== undefined && fresh(headers, { etag: reply.tag })
    ? reply.notModified
    : reply;
}

/**
 * The tags of the package `etag`, which takes twice as long: it makes an object that has to be
 * finalized.
 */
function etagOf(json: string): string {
  return `"${Buffer.byteLength(json).toString(16)}-${hash("sha1", json, "base64").slice(0, 27)}"`;
}
