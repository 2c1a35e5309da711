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
 * @throws what the source throws
 */
export async function readEntries(
  source: VariableSource,
  known: readonly Entry[],
  onProgress: (entries: () => readonly Entry[], total: number) => void,
): Promise<Reading> {
  const variables: Variable[] = [];
  const values = new Map<number, VariableValue>();
  const entries = () => variables.map((variable) => ({ variable, value: values.get(variable.id) }));
  const state = { variablesTotal: 1, valuesTotal: 1, requests: 0 };
  const nextPage = async <T>(list: (page: PageRequest) => Promise<Page<T>>, offset: number) => {
    state.requests++;
    return list({ limit: MAX_LIMIT, offset });
  };
  for (let offset = 0; offset < Math.max(state.variablesTotal, state.valuesTotal); offset += MAX_LIMIT) {
    if (offset < state.variablesTotal) {
      const { data, metadata } = await nextPage((page) => source.listVariables(page), offset);
      state.variablesTotal = metadata.total;
      variables.push(...data);
    }
    if (offset < state.valuesTotal) {
      const { data, metadata } = await nextPage((page) => source.listValues(page), offset);
      state.valuesTotal = metadata.total;
      for (const value of data) values.set(value.variable_id, value);
    }
    onProgress(entries, state.variablesTotal);
  }
  return { entries: reuse(known, entries()), requests: state.requests };
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
