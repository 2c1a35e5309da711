import { onTestFinished } from "vitest";
import type { VariableReader } from "../../src/domain/source.js";
import { type RunningServer, type ServerOptions, startServer } from "../../src/server/start-server.js";
import type { EnvironmentView } from "../../src/service/environment-view.js";
import { Service } from "../../src/service/service.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import type { Store } from "../../src/store/store.js";
import { DATA } from "./data.js";

interface Stubs {
  options?: ServerOptions;
  /** Unix time in milliseconds. */
  clock?: () => number;
  /** Monotonic clock in milliseconds. */
  ticks?: () => number;
  /** Replaces methods of every environment's view. */
  source?: Partial<VariableReader>;
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
  readonly #stub: Partial<VariableReader>;

  constructor(store: Store, clock: () => number, ticks: () => number, stub: Partial<VariableReader>) {
    super(store, clock, ticks);
    this.#stub = stub;
  }

  override view(...args: Parameters<Service["view"]>): EnvironmentView {
    return Object.assign(super.view(...args), this.#stub);
  }
}
