import type { IncomingHttpHeaders } from "node:http";
import { ServerError } from "../kit/text/errors.js";
import { parseFreshness } from "../model/reads/http-headers.js";

/**
 * The version of an answer, and the earliest and the latest time at which it
 * was the newest, in milliseconds on the client's monotonic clock.
 */
export interface DataVersion {
  readonly number: number;
  readonly write: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the newest version seen so far, including this answer. Otherwise, a
 * client behind a balancer would get older data from a replica that is cut off.
 * Versions only go back if a cluster was restored. Then the restored version
 * was the newest at a later time than the previous one.
 *
 * @param sentAt the time when the request was sent, on the same clock
 * @throws ServerError, which is transient, for an answer with older data
 */
export function newestVersion(
  seen: DataVersion | undefined,
  headers: IncomingHttpHeaders,
  sentAt: number,
  receivedAt: number,
): DataVersion | undefined {
  const freshness = parseFreshness(headers);
  if (!freshness) return seen;
  const { number, write, age } = freshness;
  // The age is in whole seconds.
  const [from, to] = [sentAt - (age + 1) * 1_000, receivedAt - age * 1_000];
  if (seen?.number === number && seen.write === write)
    return { number, write, from: Math.max(seen.from, from), to: Math.max(seen.to, to) };
  // A higher number is older if the cluster has been restored since.
  if (seen && (number > seen.number ? to < seen.from : from <= seen.to))
    throw new ServerError(
      "the server has older data than it had before: one of its replicas may be cut off",
      503,
    );
  return { number, write, from, to };
}
