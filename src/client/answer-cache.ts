import type { HttpResponse } from "./transport.js";

/** Pages of 1,000 for two lists of 100,000 items; the oldest goes first. */
const MOST_ANSWERS = 200;

/**
 * The last answers with their ETags, so that reading the same again and again costs the server and the network a 304:
 * what has not changed is the same object as before.
 */
export class AnswerCache {
  readonly #answers = new Map<string, { etag: string; decoded: unknown }>();

  /** The header that asks for the answer only if it has changed. */
  condition(target: string): Record<string, string> {
    const known = this.#answers.get(target);
    return known ? { "if-none-match": known.etag } : {};
  }

  /**
   * The answer that was kept if the response says that it is still good, else the one that `decode` makes of the
   * response.
   */
  answer<T>(target: string, { status, headers }: HttpResponse, decode: () => T): T {
    const known = this.#answers.get(target);
    if (status === 304 && known) return known.decoded as T;
    this.#answers.delete(target);
    const decoded = decode();
    if (headers.etag) this.#keep(target, headers.etag, decoded);
    return decoded;
  }

  #keep(target: string, etag: string, decoded: unknown): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(target, { etag, decoded });
  }
}
