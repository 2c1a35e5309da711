import { Transform } from "node:stream";
import { TextMatcher } from "./text-matcher.js";

const STARS = Buffer.from("***");

/** Bytes that are hidden, counted from the beginning of the output; `end` is exclusive. */
interface Run {
  start: number;
  end: number;
  /** Whether its stars are written. */
  isShown: boolean;
}

/**
 * Replaces texts in bytes that come in pieces, wherever these are split. Each byte of each occurrence is hidden:
 * occurrences that overlap become one `***`. What may still begin a text is held back, and nothing else.
 */
export class Redactor {
  readonly #matcher: TextMatcher;
  #state = 0;
  /** Bytes not yet written, and where the first of them is. */
  #held: Buffer = Buffer.alloc(0);
  #heldFrom = 0;
  #runs: Run[] = [];

  constructor(texts: Iterable<string>) {
    this.#matcher = new TextMatcher(texts);
  }

  /** @returns what can be written now */
  push(chunk: Buffer): Buffer {
    let position = this.#heldFrom + this.#held.length;
    for (const byte of chunk) {
      position++;
      this.#state = this.#matcher.step(this.#state, byte);
      const length = this.#matcher.match(this.#state);
      if (length > 0) this.#hide(position - length, position);
    }
    this.#held = Buffer.concat([this.#held, chunk]);
    return this.#release(position - this.#matcher.depth(this.#state));
  }

  /** @returns what was held back, since no more comes */
  end(): Buffer {
    return this.#release(this.#heldFrom + this.#held.length);
  }

  #hide(from: number, end: number): void {
    let start = from;
    let isShown = false;
    for (let last = this.#runs.at(-1); last && last.end > start; last = this.#runs.at(-1)) {
      start = Math.min(start, last.start);
      isShown ||= last.isShown;
      this.#runs.pop();
    }
    this.#runs.push({ start, end, isShown });
  }

  /** Lets go of the bytes up to `limit`, where no text may begin any more. */
  #release(limit: number): Buffer {
    const parts: Buffer[] = [];
    let from = this.#heldFrom;
    for (const run of this.#runs.filter(({ start }) => start <= limit)) {
      parts.push(this.#slice(from, run.start));
      if (!run.isShown) parts.push(STARS);
      run.isShown = true;
      from = Math.max(from, Math.min(run.end, limit));
    }
    parts.push(this.#slice(from, limit));
    this.#runs = this.#runs.filter(({ end }) => end > limit);
    this.#held = this.#held.subarray(limit - this.#heldFrom);
    this.#heldFrom = limit;
    return Buffer.concat(parts);
  }

  #slice(from: number, to: number): Buffer {
    return this.#held.subarray(from - this.#heldFrom, Math.max(from, to) - this.#heldFrom);
  }
}

/** A stream that replaces the texts in what goes through it. */
export function redactStream(texts: Iterable<string>): Transform {
  const redactor = new Redactor(texts);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, redactor.push(chunk)),
    flush: (done) => done(null, redactor.end()),
  });
}
