import { onTestFinished } from "vitest";
import type { VariableSource } from "../../src/domain/source.js";
import { type RunningServer, type ServerOptions, startServer } from "../../src/server/start-server.js";
import { Service } from "../../src/service/service.js";
import { createMemoryStore } from "../../src/store/memory-store.js";
import type { Store } from "../../src/store/store.js";
import { DATA } from "./data.js";

interface Stubs {
  options?: ServerOptions;
  /** Unix time in milliseconds. */
  clock?: () => number;
  /** Takes the place of the methods of every environment's source. */
  source?: Partial<VariableSource>;
  /** Takes the place of properties of the store over {@link DATA}. */
  store?: Partial<Store>;
}

/** A server on a free port, with parts of what is behind it replaced. Closed when the current test ends. */
export async function stubbedServer({
  options = {},
  clock = Date.now,
  source = {},
  store = {},
}: Stubs): Promise<RunningServer> {
  const service = new StubbedService({ ...createMemoryStore(DATA), ...store }, clock, source);
  const server = await startServer(service, { port: 0, ...options }, clock);
  onTestFinished(() => server.close());
  return server;
}

class StubbedService extends Service {
  readonly #stub: Partial<VariableSource>;

  constructor(store: Store, clock: () => number, stub: Partial<VariableSource>) {
    super(store, clock);
    this.#stub = stub;
  }

  override source(...args: Parameters<Service["source"]>): VariableSource {
    return Object.assign(super.source(...args), this.#stub);
  }
}
