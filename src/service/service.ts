import { formatDuration } from "../kit/text/duration.js";
import { ServerError } from "../kit/text/errors.js";
import { KEYLESS_LIMIT } from "../model/defaults.js";
import {
  type EnvironmentName,
  type EnvironmentRecord,
  findEnvironment,
  type KeyGrant,
  type KeyPair,
  keyGrants,
  qualifiedName,
  type Scope,
} from "../model/environment.js";
import { type Health, STALE_DATA, staleStoreMessage } from "../model/reads/health.js";
import { ageInSeconds, formatFreshness } from "../model/reads/http-headers.js";
import {
  type Answer,
  type Read,
  type Snapshot,
  VariableReader,
  type VariableSource,
} from "../model/reads/read.js";
import type { Data } from "../store/data.js";
import type { Store } from "../store/store.js";
import { EnvironmentView } from "./environment-view.js";

/** Reads all environments of a store, for the server and local commands. */
export class Service {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #ticks: () => number;
  readonly #startedAt: number;
  #prepared: ReturnType<typeof prepare>;

  /** @param clock Unix time in milliseconds @param ticks monotonic milliseconds */
  constructor(store: Store, clock: () => number, ticks = () => performance.now()) {
    this.#store = store;
    this.#clock = clock;
    this.#ticks = ticks;
    this.#startedAt = ticks();
    this.#prepared = prepare(store.data);
    // Releases replaced data at once, not at the next request.
    store.subscribe(() => this.#newest());
  }

  #newest() {
    const { data } = this.#store;
    if (this.#prepared.data !== data) this.#prepared = prepare(data);
    return this.#prepared;
  }

  get environments(): readonly EnvironmentRecord[] {
    return this.#store.data.environments;
  }

  /**
   * The headers with the version and age of a replicated store. A limited key
   * gets the revision of its data: the number of writes would reveal other
   * changes.
   */
  freshnessHeaders({ only }: Scope, view: EnvironmentView): readonly string[] {
    const { version, age } = this.#store;
    if (version === undefined || age === undefined) return [];
    return formatFreshness(only === undefined ? version : `1-${view.revision}`, age);
  }

  /** @throws NotFoundError; UsageError for an ambiguous name */
  findEnvironment(name: string): EnvironmentRecord {
    return findEnvironment(this.environments, name);
  }

  /** Finds the grant of an API key, which may have been rotated out. */
  grantOfKey(apiKey: string): KeyGrant | undefined {
    return this.#newest().byKey.get(apiKey);
  }

  /** The grants whose secrets a signature without a key is checked against. */
  get keylessGrants(): readonly KeyGrant[] {
    return this.#newest().keyless;
  }

  /**
   * Returns the part of the newest valid data that a scope can read.
   *
   * @param scope its application is replaced by the current one
   */
  view(scope: Scope): EnvironmentView {
    const { data, views } = this.#newest();
    // No pattern contains a comma.
    const key = scope.only === undefined ? scope.id : `${scope.id} ${scope.only}`;
    const existing = views.get(key);
    if (existing) return existing;
    const current = data.environments.find(({ id }) => id === scope.id);
    const { id, only } = scope;
    const { application } = current ?? scope;
    const view = new EnvironmentView(data, { id, only, application }, this.#clock);
    views.set(key, view);
    return view;
  }

  /**
   * Returns a source of an environment's variables in the newest valid data.
   * Reading throws NotFoundError while there is no environment of this name.
   *
   * @param close default: closes the store
   */
  source(environment: EnvironmentName, close = () => this.close()): VariableSource {
    const name = qualifiedName(environment);
    return new ServiceSource(this, () => this.view(this.findEnvironment(name)), close);
  }

  /**
   * Reports the store's health to anyone, without the problem.
   *
   * @param maxStale milliseconds; a store with older data is not healthy
   * @returns the age in whole seconds; `undefined` for data without an age
   */
  checkHealth(maxStale = Number.POSITIVE_INFINITY) {
    const { problem, age } = this.#store;
    const healthy = age === undefined ? problem === undefined : age <= maxStale;
    const staleMessage = age === undefined ? STALE_DATA : staleStoreMessage(age);
    const message = healthy && problem === undefined ? "OK" : staleMessage;
    const uptime = Math.round(this.#ticks() - this.#startedAt) / 1_000;
    const date = new Date(this.#clock()).toISOString();
    const health: Health = { uptime, message, date };
    return { healthy, age: age && ageInSeconds(age), health };
  }

  /**
   * Reports the health with the problem, which may name records, to clients
   * that may read the data.
   *
   * @throws ServerError
   */
  detailedHealth(): Health {
    const { age, health } = this.checkHealth();
    const { problem } = this.#store;
    if (problem === undefined) return age === undefined ? health : { ...health, data_age: age };
    if (age === undefined) throw new ServerError(problem, 503);
    const message = `${problem}; the data is ${formatDuration(age * 1_000)} old`;
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
    this.#service = service;
    this.#now = now;
    this.close = close;
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

/** Makes from one version of the data what requests need. */
function prepare(data: Data) {
  const { environments } = data;
  const grants = environments.flatMap(keyGrants);
  const keys: KeyPair[] = [...environments, ...environments.flatMap(({ keys = [] }) => keys)];
  const first = new Set(keys.slice(0, KEYLESS_LIMIT));
  return {
    data,
    byKey: new Map(grants.map((grant) => [grant.pair.api_key, grant])),
    keyless: grants.filter(({ current }) => first.has(current)),
    /** Views by the id of the environment, and the patterns of a limited key. */
    views: new Map<number | string, EnvironmentView>(),
  };
}
