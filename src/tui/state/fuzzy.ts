/** A text that is searched, in the form that searching needs. */
export type Searchable = string;

export function searchable(text: string): Searchable {
  return text.toLowerCase();
}

/** The words of a query, each of which has to be found. */
export function searchWords(query: string): readonly string[] {
  return searchable(query).split(/\s+/).filter(Boolean);
}

/** How well a word fits a text, the best first; `NO_MATCH` when its letters are not there in this order. */
const BEST_MATCH = 0;
export const NO_MATCH = 5;

/** 0 for the whole text, 1 for its start, 2 for the start of a word in it, 3 for a part, 4 for letters in this order. */
export function matchRank(word: string, text: Searchable): number {
  const at = text.indexOf(word);
  if (at === 0) return word.length === text.length ? BEST_MATCH : 1;
  if (at > 0) return startsWord(word, text, at) ? 2 : 3;
  return hasLettersInOrder(word, text) ? 4 : NO_MATCH;
}

/** Indexes of the characters of `text` that the words of a query fit; for highlighting. */
export function matchPositions(words: readonly string[], text: string): ReadonlySet<number> {
  const lowered = searchable(text);
  // A character may be longer in lower case: then the indexes would be off.
  if (lowered.length !== text.length) return new Set();
  return new Set(words.flatMap((word) => wordPositions(word, lowered)));
}

function wordPositions(word: string, text: Searchable): number[] {
  const at = bestStart(word, text);
  if (at >= 0) return Array.from(word, (_, index) => at + index);
  const positions: number[] = [];
  for (let index = 0, from = 0; index < word.length; index++) {
    const found = text.indexOf(word.charAt(index), from);
    if (found < 0) return [];
    positions.push(found);
    from = found + 1;
  }
  return positions;
}

/** Where the word is in the text: at the start of a word if it can. */
function bestStart(word: string, text: Searchable): number {
  const first = text.indexOf(word);
  for (let at = first; at > 0; at = text.indexOf(word, at + 1)) if (isWordStart(text, at)) return at;
  return first;
}

function startsWord(word: string, text: Searchable, first: number): boolean {
  for (let at = first; at > 0; at = text.indexOf(word, at + 1)) if (isWordStart(text, at)) return true;
  return false;
}

/** Whether a separator comes before it. Asked of 100,000 names for a letter, so by code: what is not ASCII counts as a letter. */
function isWordStart(text: Searchable, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  const isLetter = (code >= 97 && code <= 122) || code > 127;
  const isDigit = code >= 48 && code <= 57;
  return !isLetter && !isDigit;
}

function hasLettersInOrder(word: string, text: Searchable): boolean {
  let from = 0;
  for (let index = 0; index < word.length; index++) {
    from = text.indexOf(word.charAt(index), from) + 1;
    if (from === 0) return false;
  }
  return true;
}
