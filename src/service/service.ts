import type { EnvironmentRecord } from "../domain/environment.js";
import { findEnvironment } from "../domain/environment.js";
import type { Health, VariableSource } from "../domain/source.js";
import type { Store } from "../store/store.js";
import { ServiceSource } from "./service-source.js";
import { SnapshotIndex } from "./snapshot-index.js";

/** Answers for all environments of a store. The server and the local commands share it. */
export class Service {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #startedAt: number;
  #index: SnapshotIndex;

  /** @param clock Unix time in milliseconds */
  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
    this.#startedAt = clock();
    this.#index = new SnapshotIndex(store.snapshot);
    // Nobody may ask for anything before the data changes again: what was replaced is let go of at once.
    store.subscribe(() => this.index);
  }

  /** Look-ups in the newest good data. */
  get index(): SnapshotIndex {
    const { snapshot } = this.#store;
    if (this.#index.data !== snapshot) this.#index = new SnapshotIndex(snapshot);
    return this.#index;
  }

  get environments(): readonly EnvironmentRecord[] {
    return this.#store.snapshot.environments;
  }

  /** @throws NotFoundError when there is no such environment, UsageError when its name is ambiguous */
  findEnvironment(name: string): EnvironmentRecord {
    return findEnvironment(this.environments, name);
  }

  /** The variables of one environment. */
  source(environment: EnvironmentRecord): VariableSource {
    return new ServiceSource(this, environment);
  }

  /** How the store is doing; what is wrong with it is the message. */
  checkHealth(): { healthy: boolean; health: Health } {
    const now = this.#clock();
    const { problem } = this.#store;
    const uptime = (now - this.#startedAt) / 1_000;
    return {
      healthy: problem === undefined,
      health: { uptime, message: problem ?? "OK", date: new Date(now).toISOString() },
    };
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
