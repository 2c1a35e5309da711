const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export interface Grapheme {
  readonly text: string;
  /** Index of its first UTF-16 code unit. */
  readonly index: number;
}

/** What a reader takes for the characters of a text, one by one. */
export function* graphemes(text: string): Generator<Grapheme> {
  for (const { segment, index } of segmenter.segment(text)) yield { text: segment, index };
}
