import { closest, distance } from "fastest-levenshtein";

/** The candidate that `word` is likely a mistyping of. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const lowerCase = new Map(candidates.map((candidate) => [candidate.toLowerCase(), candidate]));
  const best = closest(word.toLowerCase(), [...lowerCase.keys()]);
  const edits = distance(word.toLowerCase(), best);
  const longest = Math.max(word.length, best.length);
  // What commander takes for a slip in a command or a flag: three edits at most, and more than 40 % alike.
  return edits <= 3 && (longest - edits) / longest > 0.4 ? lowerCase.get(best) : undefined;
}

/** ` (did you mean PORT?)` to put behind a name that there is not; empty where none is near. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? "" : ` (did you mean ${candidate}?)`;
}
