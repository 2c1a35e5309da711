import { allKeyPairs, type EnvironmentRecord } from "../domain/environment.js";
import type { Data } from "../store/data.js";
import { EnvironmentView } from "./environment-view.js";

/** Look-ups in one snapshot of the data. It is dropped with the snapshot. */
export class SnapshotIndex {
  readonly data: Data;
  readonly #owners: ReadonlyMap<string, EnvironmentRecord>;
  readonly #views = new Map<number, EnvironmentView>();

  constructor(data: Data) {
    this.data = data;
    this.#owners = new Map(
      data.environments.flatMap((environment) => allKeyPairs(environment).map((pair) => [pair.api_key, environment])),
    );
  }

  /** The environment that has this key, or once had it. */
  ownerOfKey(apiKey: string): EnvironmentRecord | undefined {
    return this.#owners.get(apiKey);
  }

  /** Built at its first use: most processes ask for one environment only. */
  view(environment: EnvironmentRecord): EnvironmentView {
    const view = this.#views.get(environment.id) ?? new EnvironmentView(this.data, environment);
    this.#views.set(environment.id, view);
    return view;
  }
}
