import { RateLimitedError, ServerError } from "../../domain/errors.js";
import type { VariableEntry, VariableSource } from "../../domain/source.js";
import type { OpenPlace } from "../state/ports.js";
import { type EffectOf, type Performs, type Shared, toFailure } from "./performing.js";
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
