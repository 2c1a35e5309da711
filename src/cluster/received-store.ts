import { NO_DATA } from "../store/data.js";
import { type PackedData, packOnDemand } from "../store/packed-data.js";
import type { Store } from "../store/store.js";
import type { StoreMessage } from "./messages.js";
import { Assembly } from "./snapshot-parts.js";

/** A worker's copy of the primary's store. */
export class ReceivedStore implements Store<PackedData> {
  snapshot = packOnDemand(NO_DATA);
  problem: string | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #ticks: () => number;
  #next: Assembly | undefined;
  /** When the data was last known to be the newest; undefined for a store that does not tell its age. */
  #confirmedAt: number | undefined;

  /** @param ticks monotonic clock in milliseconds */
  constructor(ticks: () => number) {
    this.#ticks = ticks;
  }

  get age(): number | undefined {
    return this.#confirmedAt === undefined ? undefined : this.#ticks() - this.#confirmedAt;
  }

  /** Takes a message from the primary. */
  receive(message: StoreMessage): void {
    if (message.kind === "outline") this.#next = new Assembly(message.outline);
    else if (message.kind === "parts") this.#next?.add(message.parts);
    else if (message.kind === "problem") this.#change({ problem: message.problem });
    else if (message.kind === "age") this.#confirm(message.age);
    else if (this.#next) {
      this.#confirm(message.age);
      this.#change({ snapshot: this.#next.data });
      this.#next = undefined;
    }
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }

  #confirm(age: number | undefined): void {
    this.#confirmedAt = age === undefined ? undefined : this.#ticks() - age;
  }

  #change(state: Partial<Pick<this, "snapshot" | "problem">>): void {
    Object.assign(this, state);
    for (const listener of this.#listeners) listener();
  }
}
