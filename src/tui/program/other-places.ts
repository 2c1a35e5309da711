import { NotFoundError } from "../../domain/errors.js";
import type { Snapshot } from "../../domain/source.js";
import type { JsonValue } from "../../domain/variable.js";
import type { Failure } from "../state/loaded.js";
import type { Message } from "../state/messages.js";
import { type EffectOf, type Performs, type Shared, toFailure } from "./performing.js";
import { giveWay, readAgainOnChange, readEntries } from "./read-entries.js";

interface Options extends Shared {
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
}

/** Reads places beside the one that is shown. */
export class OtherPlaces implements Performs<"compare" | "readOther" | "stopReading" | "lookUp"> {
  readonly #options: Options;
  /** Abort the reads, by the indexes of the places: one of each at a time. */
  readonly #reading = new Map<number, AbortController>();

  constructor(options: Options) {
    this.#options = options;
  }

  readonly compare = ({ place }: EffectOf<"compare">): Promise<void> => {
    const { places, ticks } = this.#options;
    const compare = async (signal: AbortSignal): Promise<Message> => {
      const { source, editor } = await places.open(place);
      const { entries } = await readAgainOnChange(source, (snapshot) => readEntries(snapshot, [], undefined, signal));
      return { type: "compared", place, entries, asOf: ticks(), isEditable: editor !== undefined };
    };
    return this.#read(place, compare, (failure) => ({ type: "notCompared", place, failure }));
  };

  /** A local place is only read if it has changed. */
  readonly readOther = ({ place, known }: EffectOf<"readOther">): Promise<void> => {
    const { places, versions, ticks } = this.#options;
    let isLocal = false;
    const read = async (signal: AbortSignal): Promise<Message> => {
      const { source, version } = await places.open(place);
      const current = version?.();
      isLocal = current !== undefined;
      if (known && isLocal && versions.get(known) === current) {
        return { type: "otherRead", place, entries: known, asOf: ticks(), isLocal };
      }
      const read = (snapshot: Snapshot) => readEntries(snapshot, known ?? [], giveWay, signal);
      const { entries } = await readAgainOnChange(source, read);
      if (current) versions.set(entries, current);
      return { type: "otherRead", place, entries, asOf: ticks(), isLocal };
    };
    return this.#read(place, read, (failure) => ({ type: "otherRead", place, failure, isLocal }));
  };

  readonly stopReading = ({ places }: EffectOf<"stopReading">): void => {
    for (const place of places) this.#reading.get(place)?.abort();
  };

  /** Looks a variable up where that sends no request. Places that can't be read are left out. */
  readonly lookUp = async ({ name, places: indexes }: EffectOf<"lookUp">): Promise<void> => {
    const { places, dispatch } = this.#options;
    const values = new Map<number, JsonValue | undefined>();
    for (const place of indexes) {
      if (places.at(place)?.kind !== "environment" && !places.isOpen(place)) continue;
      try {
        const { source, version } = await places.open(place);
        if (version) values.set(place, (await source.getContentByName(name)).value);
      } catch (error) {
        if (error instanceof NotFoundError) values.set(place, undefined);
      }
      await giveWay();
    }
    if (values.size > 0) dispatch({ type: "lookedUp", name, values });
  };

  /** Reads a place instead of an earlier read that is still in progress. Nothing comes of a read that is stopped. */
  async #read(
    place: number,
    read: (signal: AbortSignal) => Promise<Message>,
    toMessage: (failure: Failure) => Message,
  ): Promise<void> {
    const { places, dispatch } = this.#options;
    this.#reading.get(place)?.abort();
    const controller = new AbortController();
    this.#reading.set(place, controller);
    const { signal } = controller;
    try {
      await places.closeFailed(place);
      const message = await read(signal);
      if (!signal.aborted) dispatch(message);
    } catch (error) {
      if (signal.aborted) return;
      places.setFailed(place, true);
      dispatch(toMessage(toFailure(error)));
    }
  }
}
