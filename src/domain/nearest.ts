import { closest, distance } from "fastest-levenshtein";

/** The candidate that `word` is probably a typo of: at most three edits, and more than 40 % alike, as in commander. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const lowerCase = new Map(candidates.map((candidate) => [candidate.toLowerCase(), candidate]));
  const best = closest(word.toLowerCase(), [...lowerCase.keys()]);
  const edits = distance(word.toLowerCase(), best);
  const longest = Math.max(word.length, best.length);
  return edits <= 3 && (longest - edits) / longest > 0.4 ? lowerCase.get(best) : undefined;
}

/** ` (did you mean PORT?)`, to append to an unknown name; empty when nothing is similar. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? "" : ` (did you mean ${candidate}?)`;
}
