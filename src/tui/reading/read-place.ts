import { NotFoundError, RateLimitedError, ServerError } from "../../domain/errors.js";
import type { Snapshot, VariableEntry, VariableSource } from "../../domain/source.js";
import type { JsonValue } from "../../domain/variable.js";
import type { Failure } from "../state/loaded.js";
import type { Message } from "../state/messages.js";
import type { OpenPlace } from "../state/ports.js";
import { type EffectOf, type Performs, type Shared, toFailure } from "./opened-places.js";
import { type EntriesRead, giveWay, readAgainOnChange, readEntries } from "./read-entries.js";

interface Options extends Shared {
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
}

/** A long first read reports its progress at most this often, as the list is rebuilt each time. */
const PROGRESS_MS = 100;

/** Reads the place that is shown. */
export class Loading implements Performs<"load"> {
  readonly #options: Options;
  /** When a version, or else a source, was last known to be up to date. */
  readonly #asOf = new WeakMap<object, number>();
  /** Aborts the previous read. */
  #reading = new AbortController();

  constructor(options: Options) {
    this.#options = options;
  }

  readonly load = async ({ place, generation, known }: EffectOf<"load">): Promise<void> => {
    const { places, shown, versions, dispatch, ticks } = this.#options;
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    const isRequested = generation !== shown.generation;
    Object.assign(shown, { place, generation });
    try {
      if (isRequested) await places.closeFailed(place);
      const opened = await places.open(place);
      const { editor, identity } = opened;
      dispatch({ type: "opened", generation, isEditable: editor !== undefined, ...(identity && { identity }) });
      const { entries, requests } = await this.#read(opened, known, signal, (soFar, total) => {
        dispatch({ type: "progress", generation, entries: soFar, total });
      });
      const { problem, age } = await healthOf(opened.source);
      places.setFailed(place, false);
      const now = ticks();
      const asOf = this.#knownAsOf(versions.get(entries) ?? opened.source, now, age);
      dispatch({ type: "loaded", generation, entries, asOf, problem, requests: requests + 1, now });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RateLimitedError)) places.setFailed(place, true);
      dispatch({ type: "failed", generation, failure: toFailure(error), now: ticks() });
    }
  };

  /** @param age undefined if the source doesn't tell how old its data is */
  #knownAsOf(data: object, now: number, age: number | undefined): number | undefined {
    if (age !== undefined) this.#asOf.set(data, now - age);
    return this.#asOf.get(data);
  }

  /** Reads all entries unless their version is known. A long first read reports its progress. */
  async #read(
    { source, version }: OpenPlace,
    known: readonly VariableEntry[],
    signal: AbortSignal,
    onProgress: (entries: readonly VariableEntry[], total: number) => void,
  ): Promise<EntriesRead> {
    const { ticks, versions } = this.#options;
    const current = version?.();
    if (current !== undefined && versions.get(known) === current) return { entries: known, requests: 0 };
    let shownAt = Number.NEGATIVE_INFINITY;
    const showProgress = async (soFar: () => readonly VariableEntry[], total: number) => {
      if (known.length > 0 || ticks() - shownAt < PROGRESS_MS) return;
      shownAt = ticks();
      onProgress(soFar(), total);
      await giveWay();
    };
    const reading = await readAgainOnChange(source, (snapshot) => readEntries(snapshot, known, showProgress, signal));
    if (current) versions.set(reading.entries, current);
    return reading;
  }
}

const UNAVAILABLE = 503;

interface SourceHealth {
  /** Warnings of a source that answers. */
  readonly problem?: string | undefined;
  /** Milliseconds since its data was last known to be up to date; undefined if that isn't known. */
  readonly age?: number | undefined;
}

/** A proxy that blocks the health check doesn't matter here. */
async function healthOf(source: VariableSource): Promise<SourceHealth> {
  try {
    const { message, data_age: seconds } = await source.getHealth();
    const problem = seconds === undefined || message === "OK" ? undefined : message;
    return { problem, age: (seconds ?? 0) * 1_000 };
  } catch (error) {
    return error instanceof ServerError && error.status === UNAVAILABLE ? { problem: error.message } : { age: 0 };
  }
}

interface OtherOptions extends Shared {
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
}

/** Reads places beside the one that is shown. */
export class OtherPlaces implements Performs<"compare" | "readOther" | "stopReading" | "lookUp"> {
  readonly #options: OtherOptions;
  /** Abort the reads, by the indexes of the places: one of each at a time. */
  readonly #reading = new Map<number, AbortController>();

  constructor(options: OtherOptions) {
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
