const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Code units that are segmented at once: what Intl.Segmenter takes grows with the square of the length in Node 20. */
const CHUNK = 1_000;

/** Latin, kana, Han and Hangul, each code unit of which is a grapheme: told apart much faster. */
const SIMPLE = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u017f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]*$/;
const HIGH_SURROGATE = /[\ud800-\udbff]$/;

export interface Grapheme {
  readonly text: string;
  /** Index of its first UTF-16 code unit. */
  readonly index: number;
}

/** What a reader takes for the characters of a text, one by one. */
export function* graphemes(text: string): Generator<Grapheme> {
  let start = 0;
  while (start < text.length) {
    const chunk = text.slice(start, start + CHUNK).replace(text.length > start + CHUNK ? HIGH_SURROGATE : "", "");
    const found = Array.from(segments(chunk), ({ text: segment, index }) => ({ text: segment, index: start + index }));
    const end = start + chunk.length;
    // The last one may go on behind the chunk; one as long as a chunk is taken for two.
    const last = end < text.length && found.length > 1 ? found.pop() : undefined;
    yield* found;
    start = last?.index ?? end;
  }
}

function* segments(chunk: string): Generator<Grapheme> {
  if (SIMPLE.test(chunk)) for (let index = 0; index < chunk.length; index++) yield { text: chunk.charAt(index), index };
  else for (const { segment, index } of segmenter.segment(chunk)) yield { text: segment, index };
}
