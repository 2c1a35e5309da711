import { MAX_LIMIT, type Page, type PageRequest } from "./page.js";
import type { ValueContent, Variable, VariableValue } from "./variable.js";

/** How the other side is doing. */
export interface Health {
  /** Seconds since it started. */
  uptime: number;
  /** `OK`, or what is wrong. */
  message: string;
  /** ISO 8601, UTC, with milliseconds. */
  date: string;
}

/**
 * The variables of one environment, wherever they come from. A service over a store and the signed HTTP
 * client both implement it, and the suite in test/contract runs against both: commands and the TUI
 * don't know which they have.
 *
 * Every method rejects with NotFoundError for an unknown id or name, and with UsageError for an id that is
 * no positive safe integer or a page request out of bounds.
 */
export interface VariableSource {
  /** The definitions of the application's variables, by ascending id. */
  listVariables(page?: PageRequest): Promise<Page<Variable>>;
  getVariable(id: number): Promise<Variable>;
  /** The values that are set in this environment, by ascending id of the value record. */
  listValues(page?: PageRequest): Promise<Page<VariableValue>>;
  getValue(id: number): Promise<VariableValue>;
  getValueByName(name: string): Promise<VariableValue>;
  getContentByName(name: string): Promise<ValueContent>;
  /** @throws ServerError with the reason as its message when the other side is not healthy */
  getHealth(): Promise<Health>;
  /** Lets go of connections and files. */
  close(): Promise<void>;
}

/** Reads every page of a list, in order: `readAll((page) => source.listVariables(page))`. */
export async function readAll<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (;;) {
    const { data, metadata } = await list({ limit: MAX_LIMIT, offset: items.length });
    items.push(...data);
    if (data.length === 0 || items.length >= metadata.total) return items;
  }
}
