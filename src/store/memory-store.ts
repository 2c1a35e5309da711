import { checkData } from "./parse-data.js";
import type { Store } from "./store.js";

/**
 * A store over data that is already in memory, for tests of programs that use appvars. It never changes.
 *
 * @throws InvalidDataError when the data breaks a rule of the data file
 */
export function createMemoryStore(data: unknown): Store {
  return {
    snapshot: checkData(data),
    problem: undefined,
    subscribe: () => () => {},
    close: async () => {},
  };
}
