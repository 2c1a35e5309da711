import { isDeepStrictEqual } from "node:util";

/** How long a change has to stay as it is: a burst of edits is one change. */
export const SETTLE_MS = 500;

/** After so much time in settling, what is there counts: it may never stay as it is. */
export const LONGEST_SETTLE_MS = 5_000;

/** The texts of variables by name. */
export type Texts = ReadonlyMap<string, string>;

export interface WatchOptions<T> {
  /** Reads what there is now. What it rejects with is told, and otherwise nothing. */
  read: () => Promise<T>;
  /** What of it counts as a change. */
  textsOf: (read: T) => Texts;
  /** Milliseconds from one look to the next. */
  interval: number;
  /** Resolves after so many milliseconds; rejects to end the watch. */
  wait: (milliseconds: number) => Promise<void>;
  /** Called with the names that were added, removed or changed, and with what was read. */
  onChange: (names: string[], read: T) => void;
  /** Called when reading fails after it did not, and with undefined when it does no longer. */
  onProblem: (error: Error | undefined) => void;
}

/** Looks for changes of `initial`, until `wait` rejects. */
export async function watchVariables<T>(initial: T, options: WatchOptions<T>): Promise<never> {
  const read = withProblems(options);
  let current = options.textsOf(initial);
  for (;;) {
    await options.wait(options.interval);
    const settled = await readSettled(current, read, options);
    const names = settled === undefined ? [] : changedNames(current, options.textsOf(settled));
    if (settled === undefined || names.length === 0) continue;
    current = options.textsOf(settled);
    options.onChange(names, settled);
  }
}

/** The names that two sets do not have in common with the same text, in order. */
export function changedNames(before: Texts, after: Texts): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

/** What is there once two looks in a row agree, or no more time is left for it; undefined when it is what was there before, or can't be read. */
async function readSettled<T>(
  current: Texts,
  read: () => Promise<T | undefined>,
  { textsOf, wait }: WatchOptions<T>,
): Promise<T | undefined> {
  let last = await read();
  for (let waited = SETTLE_MS; last !== undefined && !isDeepStrictEqual(textsOf(last), current); waited += SETTLE_MS) {
    await wait(SETTLE_MS);
    const next = await read();
    const isLast = waited >= LONGEST_SETTLE_MS;
    if (next !== undefined && (isLast || isDeepStrictEqual(textsOf(next), textsOf(last)))) return next;
    last = next;
  }
  return undefined;
}

/** Reads, or tells once why that fails and once that it works again. */
function withProblems<T>({ read, onProblem }: WatchOptions<T>): () => Promise<T | undefined> {
  let failed = false;
  return async () => {
    try {
      const result = await read();
      if (failed) onProblem(undefined);
      failed = false;
      return result;
    } catch (error) {
      if (!failed) onProblem(error as Error);
      failed = true;
      return undefined;
    }
  };
}
