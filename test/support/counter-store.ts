import type {
  CounterConnection,
  CounterStore,
  StoredCount,
} from "../../src/server/shared-limiter.js";

/**
 * A store's reaction to requests: it answers, never answers, or fails. A count is an answer of its
 * own.
 */
export type StoreState = "up" | "hung" | "failing" | StoredCount;

/** A store in memory, by the clock of `performance`. */
export class FakeCounterStore implements CounterStore {
  state: StoreState = "up";
  /** The keys that were asked about, but for the checks. */
  readonly asked: string[] = [];
  /** Connections that are open. */
  open = 0;
  /** How often it was connected to. */
  connects = 0;
  /** Ends the connection. */
  lose: (error?: unknown) => void = () => {};
  readonly #windows = new Map<string, { count: number; end: number }>();
  readonly #window: number;

  /** @param window in seconds */
  constructor(window: number) {
    this.#window = window * 1_000;
  }

  readonly connect = (onLost: (error: unknown) => void): CounterConnection => {
    this.open++;
    this.connects++;
    this.lose = onLost;
    const rejects = new Set<(error: Error) => void>();
    const ask = (key: string, answer: () => StoredCount) =>
      new Promise<StoredCount>((resolve, reject) => {
        if (key !== "check") this.asked.push(key);
        if (this.state === "up") resolve(answer());
        else if (this.state === "failing") reject(new Error("failing"));
        else if (this.state !== "hung") resolve(this.state);
        else rejects.add(reject);
      });
    return {
      ready: Promise.resolve(),
      add: (key) => ask(key, () => this.#add(key)),
      read: (key) => ask(key, () => this.#read(key)),
      close: () => {
        this.open--;
        for (const reject of rejects) reject(new Error("closed"));
      },
    };
  };

  readonly explain = (error: unknown) => ({
    what: "has failed",
    detail: (error as Error | undefined)?.message,
  });

  #read(key: string): StoredCount {
    const { count = 0, end = 0 } = this.#windows.get(key) ?? {};
    return end > performance.now()
      ? { count, timeLeft: Math.ceil(end - performance.now()) }
      : { count: 0, timeLeft: 0 };
  }

  #add(key: string): StoredCount {
    const { count, timeLeft } = this.#read(key);
    const added = { count: count + 1, timeLeft: count === 0 ? this.#window : timeLeft };
    this.#windows.set(key, { count: added.count, end: performance.now() + added.timeLeft });
    return added;
  }
}
