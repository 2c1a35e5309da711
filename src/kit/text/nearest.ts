import damerauLevenshtein from "damerau-levenshtein";

const MAX_EDITS = 3;

/**
 * Finds the candidate that `word` probably means: at most three edits away, and
 * more than 40% alike, as in commander. A swap of two neighboring characters
 * is one edit.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of candidates) {
    // Counting edits takes time proportional to the product of both lengths.
    if (Math.abs(candidate.length - word.length) > MAX_EDITS) continue;
    const { steps: edits } = damerauLevenshtein(word.toLowerCase(), candidate.toLowerCase());
    const longest = Math.max(word.length, candidate.length);
    const isSimilar = edits <= MAX_EDITS && (longest - edits) / longest > 0.4;
    if (isSimilar && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { candidate, edits };
  }
  return best?.candidate;
}

/**
 * Returns ` (did you mean PORT?)`, or an empty text without a similar
 * candidate.
 */
export function suggestion(word: string, candidates: readonly string[]): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? "" : ` (did you mean ${candidate}?)`;
}
