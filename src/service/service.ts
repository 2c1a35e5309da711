import {
  allKeyPairs,
  type EnvironmentRecord,
  endOfValidity,
  findEnvironment,
  type KeyPair,
} from "../domain/environment.js";
import { ServerError } from "../domain/errors.js";
import { type Health, STALE_DATA, type VariableSource } from "../domain/source.js";
import type { Data } from "../store/data.js";
import { type PackedData, packOnDemand } from "../store/packed-data.js";
import type { Store } from "../store/store.js";
import { EnvironmentView } from "./environment-view.js";

/** Reads all environments of a store. The server and the local commands share it. */
export class Service {
  readonly #store: Store<Data | PackedData>;
  readonly #clock: () => number;
  readonly #ticks: () => number;
  readonly #startedAt: number;
  #index: SnapshotIndex;

  /**
   * @param clock Unix time in milliseconds
   * @param ticks monotonic clock in milliseconds
   * @param startedAt by that clock
   */
  constructor(
    store: Store<Data | PackedData>,
    clock: () => number,
    ticks = () => performance.now(),
    startedAt = ticks(),
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#ticks = ticks;
    this.#startedAt = startedAt;
    this.#index = new SnapshotIndex(store.snapshot);
    // Releases replaced data immediately rather than at the next request.
    store.subscribe(() => this.index);
  }

  get index(): SnapshotIndex {
    const { snapshot } = this.#store;
    if (this.#index.data !== snapshot) this.#index = new SnapshotIndex(snapshot);
    return this.#index;
  }

  get environments(): readonly EnvironmentRecord[] {
    return this.#store.snapshot.environments;
  }

  /** @throws NotFoundError if there is no such environment, UsageError if its name is ambiguous */
  findEnvironment(name: string): EnvironmentRecord {
    return findEnvironment(this.environments, name);
  }

  /** One environment's part of the newest valid data. It does not change with the data. */
  view(environment: EnvironmentRecord): EnvironmentView {
    return this.index.view(environment);
  }

  /** The variables of one environment, always from the newest valid data. */
  source(environment: EnvironmentRecord): VariableSource {
    const now = () => this.view(environment);
    return {
      listVariables: (page) => now().listVariables(page),
      getVariable: (id) => now().getVariable(id),
      listValues: (page) => now().listValues(page),
      getValue: (id) => now().getValue(id),
      getValueByName: (name) => now().getValueByName(name),
      getContentByName: (name) => now().getContentByName(name),
      readSnapshot: async (read) => read(now()),
      getHealth: async () => {
        if (this.problem !== undefined) throw new ServerError(this.problem, 503);
        return this.checkHealth().health;
      },
      close: () => this.close(),
    };
  }

  /** Why the data may be out of date. It names records, so it is only for those who may read the data. */
  get problem(): string | undefined {
    return this.#store.problem;
  }

  /** The store's health, for anyone: it does not tell what is wrong. */
  checkHealth(): { healthy: boolean; health: Health } {
    const healthy = this.problem === undefined;
    const uptime = Math.round(this.#ticks() - this.#startedAt) / 1_000;
    const date = new Date(this.#clock()).toISOString();
    return { healthy, health: { uptime, message: healthy ? "OK" : STALE_DATA, date } };
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** An API key's environment and secret. */
export interface KeyOwner {
  readonly environment: EnvironmentRecord;
  readonly pair: KeyPair;
  /** Unix time in milliseconds; `Infinity` for the current pair. */
  readonly validUntil: number;
}

class SnapshotIndex {
  readonly data: Data | PackedData;
  readonly #packed: PackedData;
  readonly #owners: ReadonlyMap<string, KeyOwner>;
  readonly #views = new Map<number, EnvironmentView>();

  constructor(data: Data | PackedData) {
    this.data = data;
    this.#packed = "version" in data ? packOnDemand(data) : data;
    this.#owners = new Map(
      data.environments.flatMap((environment) =>
        allKeyPairs(environment).map((pair) => [pair.api_key, { environment, pair, validUntil: endOfValidity(pair) }]),
      ),
    );
  }

  /** The environment that has this key, or had it in the past. */
  ownerOfKey(apiKey: string): KeyOwner | undefined {
    return this.#owners.get(apiKey);
  }

  /** @param environment may be the record of an earlier snapshot: the application is that of this one */
  view({ id, application }: EnvironmentRecord): EnvironmentView {
    const known = this.#views.get(id);
    if (known) return known;
    const current = this.data.environments.find((environment) => environment.id === id);
    const variables = this.#packed.variables(current?.application ?? application);
    const view = new EnvironmentView(variables, this.#packed.values(id));
    this.#views.set(id, view);
    return view;
  }
}
