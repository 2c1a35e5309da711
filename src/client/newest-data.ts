import type { IncomingHttpHeaders } from "node:http";
import { ServerError } from "../kit/text/errors.js";
import { parseFreshness } from "../model/http-headers.js";

/**
 * The version of an answer, and the earliest and latest time at which it was the newest, on the
 * client's clock.
 */
interface Seen {
  readonly number: number;
  readonly write: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The newest data that was seen. Replicas behind a balancer may be of different versions: without
 * this, a client would go back when it reaches one that was cut off. Versions go back only if a
 * cluster was restored. Then the restored one was the newest at a later time than the one before.
 */
export class NewestData {
  #seen: Seen | undefined;

  /**
   * @param sentAt when the request was sent, in milliseconds on a monotonic clock
   * @param receivedAt the same for its answer
   * @throws ServerError, which is transient, for an answer with older data
   */
  check(headers: IncomingHttpHeaders, sentAt: number, receivedAt: number): void {
    const freshness = parseFreshness(headers);
    if (!freshness) return;
    const { number, write, age } = freshness;
    // The age is in whole seconds.
    const answer = {
      number,
      write,
      from: sentAt - (age + 1) * 1_000,
      to: receivedAt - age * 1_000,
    };
    const seen = this.#seen;
    if (seen && isOlder(answer, seen))
      throw new ServerError(
        "the server has older data than it had before: one of its replicas may be cut off",
        503,
      );
    const isSame = seen?.number === number && seen.write === write;
    this.#seen = isSame
      ? { ...answer, from: Math.max(seen.from, answer.from), to: Math.max(seen.to, answer.to) }
      : answer;
  }
}

function isOlder(answer: Seen, seen: Seen): boolean {
  if (answer.number === seen.number && answer.write === seen.write) return false;
  // A higher number is older if the cluster was restored since.
  return answer.number > seen.number ? answer.to < seen.from : answer.from <= seen.to;
}
