const ROOT = 0;

/**
 * Finds any of a set of texts in bytes that come one at a time, in time that doesn't depend on how many texts there
 * are: the automaton of Aho and Corasick (CACM 18:6, 1975). A state is the longest text's beginning that the bytes
 * so far end with.
 */
export class TextMatcher {
  /** The next state by `256 * state + byte`, where a text goes on so. */
  readonly #next = new Map<number, number>();
  /** By state: its length in bytes. */
  readonly #depths = [0];
  /** By state: the state of its longest end that begins a text, too. */
  readonly #fallbacks = [ROOT];
  /** By state: the length of the longest text that it ends with, 0 for none. */
  readonly #matches = [0];

  constructor(texts: Iterable<string>) {
    for (const text of texts) this.#add(Buffer.from(text));
    this.#link();
  }

  step(state: number, byte: number): number {
    for (let from = state; ; from = this.#fallbacks[from] ?? ROOT) {
      const next = this.#next.get(256 * from + byte);
      if (next !== undefined) return next;
      if (from === ROOT) return ROOT;
    }
  }

  /** How many of the last bytes may still begin a text. */
  depth(state: number): number {
    return this.#depths[state] ?? 0;
  }

  /** How many of the last bytes are a text, the longest one; 0 for none. */
  match(state: number): number {
    return this.#matches[state] ?? 0;
  }

  #add(bytes: Uint8Array): void {
    let state = ROOT;
    for (const byte of bytes) {
      const key = 256 * state + byte;
      state = this.#next.get(key) ?? this.#grow(key, state);
    }
    this.#matches[state] = bytes.length;
  }

  #grow(key: number, parent: number): number {
    const state = this.#depths.length;
    this.#next.set(key, state);
    this.#depths.push(this.depth(parent) + 1);
    this.#fallbacks.push(ROOT);
    this.#matches.push(0);
    return state;
  }

  #link(): void {
    const byDepth = [...this.#next].sort(([, a], [, b]) => this.depth(a) - this.depth(b));
    for (const [key, state] of byDepth) {
      const parent = Math.floor(key / 256);
      const fallback = parent === ROOT ? ROOT : this.step(this.#fallbacks[parent] ?? ROOT, key % 256);
      this.#fallbacks[state] = fallback;
      this.#matches[state] ||= this.match(fallback);
    }
  }
}
