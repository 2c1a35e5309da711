/**
 * Numbers from 0 to below 1, the same for the same seed: Math.random has none. Tommy Ettinger's
 * generator, mulberry32.
 */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Random choices for generators of test data, the same for the same seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Text of `length` characters out of `alphabet`. */
  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join("");
  }

  hex(length: number): string {
    return this.text(length, "0123456789abcdef");
  }

  shuffle<T>(items: readonly T[]): T[] {
    return items
      .map((item) => [this.#next(), item] as const)
      .sort(([one], [other]) => one - other)
      .map(([, item]) => item);
  }
}
