import type { EnvironmentRecord } from "../domain/environment.js";
import type { Data } from "../store/data.js";
import { buildView, type EnvironmentView } from "./environment-view.js";

/** Look-ups in one snapshot of the data. It is dropped with the snapshot. */
export class SnapshotIndex {
  readonly data: Data;
  readonly #environmentsByKey: ReadonlyMap<string, EnvironmentRecord>;
  readonly #views = new Map<number, EnvironmentView>();

  constructor(data: Data) {
    this.data = data;
    this.#environmentsByKey = new Map(data.environments.map((environment) => [environment.api_key, environment]));
  }

  environmentByKey(apiKey: string): EnvironmentRecord | undefined {
    return this.#environmentsByKey.get(apiKey);
  }

  /** Built at its first use: most processes ask for one environment only. */
  view(environment: EnvironmentRecord): EnvironmentView {
    const view = this.#views.get(environment.id) ?? buildView(this.data, environment);
    this.#views.set(environment.id, view);
    return view;
  }
}
