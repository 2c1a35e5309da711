import { MAX_LIMIT, type Page, type PageRequest } from "../domain/page.js";
import type { VariableSource } from "../domain/source.js";
import type { Variable, VariableValue } from "../domain/variable.js";
import type { Entry } from "./ports.js";
import { isSame } from "./state/changes.js";

export interface Reading {
  /** The array that was known, when nothing has changed. */
  readonly entries: readonly Entry[];
  readonly requests: number;
}

/**
 * Reads all variables with their values, page by page of both.
 *
 * @param known what an earlier reading gave: what is the same is the same object again
 * @param onProgress called after each page of both with how many variables there will be; `entries` makes what there is so far
 * @param signal ends it between two requests
 * @throws what the source throws, or the signal's reason
 */
export async function readEntries(
  source: VariableSource,
  known: readonly Entry[],
  onProgress: (entries: () => readonly Entry[], total: number) => Promise<void> | void,
  signal?: AbortSignal,
): Promise<Reading> {
  const variables: Variable[] = [];
  const values = new Map<number, VariableValue>();
  const entries = () => variables.map((variable) => ({ variable, value: values.get(variable.id) }));
  const variablePages = new Pages((page) => source.listVariables(page), signal);
  const valuePages = new Pages((page) => source.listValues(page), signal);
  while (!(variablePages.isDone && valuePages.isDone)) {
    if (!variablePages.isDone) variables.push(...(await variablePages.next()));
    if (!valuePages.isDone) for (const value of await valuePages.next()) values.set(value.variable_id, value);
    await onProgress(entries, variablePages.total);
  }
  return { entries: reuse(known, entries()), requests: variablePages.requests + valuePages.requests };
}

/** The pages of a list that may become longer or shorter meanwhile. */
class Pages<T> {
  readonly #list: (page: PageRequest) => Promise<Page<T>>;
  readonly #signal: AbortSignal | undefined;
  #read = 0;
  #total = 1;
  #requests = 0;

  constructor(list: (page: PageRequest) => Promise<Page<T>>, signal: AbortSignal | undefined) {
    this.#list = list;
    this.#signal = signal;
  }

  get isDone(): boolean {
    return this.#read >= this.#total;
  }

  get total(): number {
    return this.#total;
  }

  get requests(): number {
    return this.#requests;
  }

  async next(): Promise<readonly T[]> {
    this.#signal?.throwIfAborted();
    this.#requests++;
    const { data, metadata } = await this.#list({ limit: MAX_LIMIT, offset: this.#read });
    this.#read += data.length;
    // Whatever the total is: behind an empty page there is nothing.
    this.#total = data.length === 0 ? this.#read : metadata.total;
    return data;
  }
}

/** The entries with those objects of `known` that say the same; `known` itself when all do. Both go by ascending id. */
function reuse(known: readonly Entry[], entries: readonly Entry[]): readonly Entry[] {
  let at = 0;
  const reused = entries.map((entry) => {
    const { id } = entry.variable;
    while ((known[at]?.variable.id ?? id) < id) at++;
    const before = known[at];
    return before && isSame(before, entry) ? before : entry;
  });
  const isUnchanged = reused.length === known.length && reused.every((entry, index) => entry === known[index]);
  return isUnchanged ? known : reused;
}
