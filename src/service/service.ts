import { durationText } from "../kit/text/duration.js";
import { ServerError } from "../kit/text/errors.js";
import { KEYLESS_LIMIT } from "../model/defaults.js";
import {
  type Environment,
  type EnvironmentRecord,
  findEnvironment,
  type KeyOwner,
  type KeyPair,
  keyOwners,
  qualifiedName,
  type Scope,
} from "../model/environment.js";
import { formatFreshness, wholeAge } from "../model/http-headers.js";
import { type Answer, type Read, VariableReader } from "../model/read.js";
import {
  type Health,
  type Snapshot,
  STALE_DATA,
  staleStoreMessage,
  type VariableSource,
} from "../model/source.js";
import type { Data } from "../store/data.js";
import type { Store } from "../store/store.js";
import { EnvironmentView } from "./environment-view.js";

/** Reads all environments of a store. The server and the local commands share it. */
export class Service {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #ticks: () => number;
  readonly #startedAt: number;
  /** The data that the owners of keys and the views were made from. */
  #data: Data;
  #owners: Owners;
  /** The views by the ids of their environments, and the patterns of their scopes. */
  readonly #views = new Map<number | string, EnvironmentView>();

  /** @param clock Unix time in milliseconds @param ticks monotonic clock in milliseconds */
  constructor(store: Store, clock: () => number, ticks = () => performance.now()) {
    this.#store = store;
    this.#clock = clock;
    this.#ticks = ticks;
    this.#startedAt = ticks();
    this.#data = store.snapshot;
    this.#owners = ownersOf(this.environments);
    // Releases replaced data immediately rather than at the next request.
    store.subscribe(() => this.#newest());
  }

  #newest(): Data {
    const { snapshot } = this.#store;
    if (this.#data === snapshot) return snapshot;
    this.#data = snapshot;
    this.#owners = ownersOf(snapshot.environments);
    this.#views.clear();
    return snapshot;
  }

  get environments(): readonly EnvironmentRecord[] {
    return this.#store.snapshot.environments;
  }

  /**
   * The headers for answers with data of a replicated store: its version and age. A limited key gets
   * the revision of its own data, since the number of all writes would tell of other data.
   */
  freshness({ only }: Scope, view: EnvironmentView): readonly string[] {
    const { version, age } = this.#store;
    if (version === undefined || age === undefined) return [];
    return formatFreshness(only === undefined ? version : `1-${view.revision}`, age);
  }

  /** @throws NotFoundError if there is no such environment, UsageError if its name is ambiguous */
  findEnvironment(name: string): EnvironmentRecord {
    return findEnvironment(this.environments, name);
  }

  /** The owner of this API key, which may have been rotated out. */
  ownerOfKey(apiKey: string): KeyOwner | undefined {
    this.#newest();
    return this.#owners.byKey.get(apiKey);
  }

  /** The pairs of the first keys, those of environments before named ones. */
  get firstOwners(): readonly KeyOwner[] {
    this.#newest();
    return this.#owners.first;
  }

  /**
   * The part of the newest valid data that a scope can read. It does not change with the data.
   *
   * @param scope its application is replaced by the current one of the environment
   */
  view(scope: Scope): EnvironmentView {
    const data = this.#newest();
    // No pattern contains a comma.
    const key = scope.only === undefined ? scope.id : `${scope.id} ${scope.only}`;
    const kept = this.#views.get(key);
    if (kept) return kept;
    const current = data.environments.find(({ id }) => id === scope.id);
    const { id, only, application } = scope;
    const view = new EnvironmentView(data, {
      id,
      only,
      application: current?.application ?? application,
    });
    this.#views.set(key, view);
    return view;
  }

  /**
   * The variables of an environment, always from the newest valid data. Reading throws
   * NotFoundError while there is no environment of this name.
   *
   * @param close default: closes the store
   */
  source(environment: Omit<Environment, "id">, close = () => this.close()): VariableSource {
    const name = qualifiedName(environment);
    return new ServiceSource(this, () => this.view(this.findEnvironment(name)), close);
  }

  /**
   * The store's health for anyone: it does not name the problem.
   *
   * @param maxStale milliseconds; a store whose data is older is not healthy
   */
  checkHealth(maxStale = Number.POSITIVE_INFINITY): HealthCheck {
    const { problem, age } = this.#store;
    const healthy = age === undefined ? problem === undefined : age <= maxStale;
    const staleMessage = age === undefined ? STALE_DATA : staleStoreMessage(age);
    const message = healthy && problem === undefined ? "OK" : staleMessage;
    const uptime = Math.round(this.#ticks() - this.#startedAt) / 1_000;
    const date = new Date(this.#clock()).toISOString();
    return { healthy, age: age && wholeAge(age), health: { uptime, message, date } };
  }

  /**
   * The store's health for clients that may read the data: it names the problem and its records.
   *
   * @throws ServerError
   */
  detailedHealth(): Health {
    const { age, health } = this.checkHealth();
    const { problem } = this.#store;
    if (age === undefined && problem !== undefined) throw new ServerError(problem, 503);
    if (age === undefined) return health;
    const message =
      problem === undefined
        ? health.message
        : `${problem}; the data is ${durationText(age * 1_000)} old`;
    return { ...health, message, data_age: age };
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

class ServiceSource extends VariableReader implements VariableSource {
  readonly #service: Service;
  readonly #now: () => Snapshot;
  readonly close: () => Promise<void>;

  constructor(service: Service, now: () => Snapshot, close: () => Promise<void>) {
    super();
    this.close = close;
    this.#service = service;
    this.#now = now;
  }

  async answer<R extends Read>(read: R): Promise<Answer<R>> {
    return this.#now().answer(read);
  }

  async readSnapshot<T>(read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return read(this.#now());
  }

  async getHealth(): Promise<Health> {
    return this.#service.detailedHealth();
  }
}

export interface HealthCheck {
  readonly healthy: boolean;
  /** Whole seconds; `undefined` for data without an age, see `Store`. */
  readonly age: number | undefined;
  /** The answer of `/healthz`. */
  readonly health: Health;
}

interface Owners {
  readonly byKey: ReadonlyMap<string, KeyOwner>;
  readonly first: readonly KeyOwner[];
}

function ownersOf(environments: readonly EnvironmentRecord[]): Owners {
  const owners = environments.flatMap(keyOwners);
  const keys: KeyPair[] = [...environments, ...environments.flatMap(({ keys = [] }) => keys)];
  const first = new Set(keys.slice(0, KEYLESS_LIMIT));
  return {
    byKey: new Map(owners.map((owner) => [owner.pair.api_key, owner])),
    first: owners.filter(({ current }) => first.has(current)),
  };
}
