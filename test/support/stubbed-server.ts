import { onTestFinished } from "vitest";
import type { EnvironmentRecord } from "../../src/domain/environment.js";
import { type CountedServerOptions, type RunningServer, startServer } from "../../src/server/start-server.js";
import { EnvironmentView } from "../../src/service/environment-view.js";
import { Service } from "../../src/service/service.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import { packOnDemand } from "../../src/store/packed-data.js";
import type { Store } from "../../src/store/store.js";
import { DATA } from "./data.js";

/** What the methods of a view read, as objects. */
const READS = {
  listVariables: "variablesJson",
  getVariable: "variableJson",
  listValues: "valuesJson",
  getValue: "valueJson",
  getValueByName: "valueByNameJson",
  getContentByName: "contentByNameJson",
} as const;

type StubbedReader = {
  [Name in keyof typeof READS]?: (...args: Parameters<EnvironmentView[(typeof READS)[Name]]>) => object;
};

interface Stubs {
  options?: CountedServerOptions;
  /** Unix time in milliseconds. */
  clock?: () => number;
  /** Monotonic clock in milliseconds. */
  ticks?: () => number;
  /** Replaces what is read from every environment. Answers are not kept. */
  source?: StubbedReader;
  /** Replaces properties of the store with {@link DATA}. */
  store?: Partial<Store>;
}

/** A server on a free port with some of its parts replaced. Closed when the current test ends. */
export async function stubbedServer({
  options = {},
  clock = Date.now,
  ticks = () => performance.now(),
  source = {},
  store = {},
}: Stubs): Promise<RunningServer> {
  const service = new StubbedService({ ...createMemoryStore(DATA), ...store }, clock, ticks, source);
  const server = await startServer(service, { port: 0, ...options }, clock, ticks);
  onTestFinished(() => server.close());
  return server;
}

class StubbedService extends Service {
  readonly #stub: StubbedReader;

  constructor(store: Store, clock: () => number, ticks: () => number, stub: StubbedReader) {
    super(store, clock, ticks);
    this.#stub = stub;
  }

  override view(environment: EnvironmentRecord): EnvironmentView {
    const data = packOnDemand(DATA);
    // A new one for each request, since the server keeps the answers of a view.
    const view = new EnvironmentView(data.variables(environment.application), data.values(environment.id));
    for (const [name, read] of Object.entries(this.#stub)) {
      const stub = read as (...args: unknown[]) => object;
      Object.assign(view, {
        [READS[name as keyof StubbedReader]]: (...args: unknown[]) => JSON.stringify(stub(...args)),
      });
    }
    return view;
  }
}
