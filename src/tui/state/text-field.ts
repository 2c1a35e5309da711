/** A text that is being typed, and where the cursor is in it: an index into its UTF-16 code units, on a grapheme's edge. */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
}

/** A field with this text, and the cursor behind it. */
export function textField(text: string): TextField {
  return { text, cursor: text.length };
}
