import { closest, distance } from "fastest-levenshtein";

/** The candidate that `word` is likely a mistyping of. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const lowerCase = new Map(candidates.map((candidate) => [candidate.toLowerCase(), candidate]));
  const best = closest(word.toLowerCase(), [...lowerCase.keys()]);
  // As far off as a third of its letters: a slip, not another name.
  const tolerated = Math.max(1, Math.floor(word.length / 3));
  return distance(word.toLowerCase(), best) <= tolerated ? lowerCase.get(best) : undefined;
}
