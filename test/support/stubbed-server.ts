import { onTestFinished } from "vitest";
import type { EnvironmentRecord } from "../../src/model/environment.js";
import type { PageRequest } from "../../src/model/reads/page.js";
import type { Answer, Read } from "../../src/model/reads/read.js";
import {
  type RunningServer,
  type ServerOptions,
  startServer,
} from "../../src/server/start-server.js";
import { EnvironmentView } from "../../src/service/environment-view.js";
import { Service } from "../../src/service/service.js";
import { createMemoryStore } from "../../src/store/memory/memory-store.js";
import type { Store } from "../../src/store/store.js";
import { DATA } from "./data.js";

type IdRead = Extract<Read, { id: number }>["kind"];
type ListRead = Extract<Read, { page: object }>["kind"];
type NameRead = Extract<Read, { name: string }>["kind"];

/** Answers in place of the view's, by the kind of read. */
type StubbedReads = { [Kind in IdRead]?: (id: number) => object } & {
  [Kind in ListRead]?: (page: Required<PageRequest>) => object;
} & { [Kind in NameRead]?: (name: string) => object } & {
  valuesByName?: () => object;
  check?: () => object;
};

interface Stubs {
  options?: ServerOptions;
  /** Unix time in milliseconds. */
  clock?: () => number;
  /** Monotonic clock in milliseconds. */
  ticks?: () => number;
  /** Replaces the reads of every environment. Answers are not kept. */
  reads?: StubbedReads;
  /** Replaces properties of the store with {@link DATA}. */
  store?: Partial<Store>;
}

/** A server on a free port with some of its parts replaced. Closed when the current test ends. */
export async function stubbedServer({
  options = {},
  clock = Date.now,
  ticks = () => performance.now(),
  reads = {},
  store = {},
}: Stubs): Promise<RunningServer> {
  const stubbed = Object.assign(createMemoryStore(DATA), store);
  const service = new StubbedService(stubbed, clock, ticks, reads);
  const server = await startServer(service, { port: 0, ...options }, clock, ticks);
  onTestFinished(() => server.close());
  return server;
}

class StubbedService extends Service {
  readonly #stubs: StubbedReads;

  constructor(store: Store, clock: () => number, ticks: () => number, stubs: StubbedReads) {
    super(store, clock, ticks);
    this.#stubs = stubs;
  }

  override view(environment: EnvironmentRecord): EnvironmentView {
    // A new one for each request, since the server keeps the answers of a view.
    const view = new EnvironmentView(DATA, environment, Date.now);
    const find = view.find.bind(view);
    view.find = (read) => {
      const { kind, ...args } = read;
      const stub = this.#stubs[kind] as ((arg: unknown) => object) | undefined;
      return stub ? (stub(Object.values(args)[0]) as Answer<Read>) : find(read);
    };
    return view;
  }
}
