import { checkData } from "./check-data.js";
import type { Store } from "./store.js";

/**
 * A store of data in memory that never changes, for tests of programs that use appvars.
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
