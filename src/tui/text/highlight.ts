import { matchPositions } from "../state/fuzzy.js";
import { fitLine } from "./fit-line.js";
import { graphemes } from "./graphemes.js";
import type { Line, Span } from "./line.js";
import { visibleText } from "./visible-text.js";

/** Code units that are looked at: more than any column is wide. */
const LONGEST = 1_000;

/** A text in exactly `width` columns, with what the words of a query match in it told apart. */
export function highlight(words: readonly string[], text: string, width: number, plain: Omit<Span, "text">): Line {
  const head = text.slice(0, LONGEST);
  const positions = matchPositions(words, head);
  if (positions.size === 0) return fitLine([{ ...plain, text: visibleText(head) }], width);
  const runs: { text: string; isMatch: boolean }[] = [];
  for (const grapheme of graphemes(head)) {
    const isMatch = positions.has(grapheme.index);
    const last = runs.at(-1);
    if (last?.isMatch === isMatch) last.text += grapheme.text;
    else runs.push({ text: grapheme.text, isMatch });
  }
  const spans = runs.map(({ text: run, isMatch }): Span => {
    return { ...plain, text: visibleText(run), ...(isMatch && { role: "match" }) };
  });
  return fitLine(spans, width);
}
