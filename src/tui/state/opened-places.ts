import { AppvarsError, RateLimitedError, UsageError } from "../../kit/text/errors.js";
import type { RateLimit } from "../../model/http-headers.js";
import type { Editor, OpenPlace, Place, PlacesChange } from "./ports.js";
import type { Failure } from "./reading.js";

/** Places whose data is in one file or store. */
interface StorePlaces {
  /** That of one of them. */
  readonly editor: Editor;
  /** Indexes of the places by their environments. */
  readonly places: Map<string, number>;
}

/** The places, each of which is opened when it is needed, and stays open. */
export class OpenedPlaces {
  /** Those that were added are at the end, as others are known by their indexes. */
  readonly #places: Place[];
  readonly #opened = new Map<number, Promise<OpenPlace>>();
  readonly #onRateLimit: (index: number, rateLimit: RateLimit) => void;

  constructor(
    places: readonly Place[],
    onRateLimit: (index: number, rateLimit: RateLimit) => void,
  ) {
    this.#places = [...places];
    this.#onRateLimit = onRateLimit;
  }

  /** Returns the indexes of those that are gone. */
  change({ added, gone }: PlacesChange): readonly number[] {
    this.#places.push(...added);
    const indexes = gone.map((place) => this.#places.indexOf(place));
    // One that comes back is opened again: it may be another environment of the same name.
    for (const index of indexes) this.#opened.delete(index);
    return indexes;
  }

  /**
   * Opens a place, or returns it if it is open. A place that couldn't be opened before is tried
   * again.
   */
  async open(index: number): Promise<OpenPlace> {
    const place = this.#places[index];
    if (!place) throw new RangeError(`there is no place ${index}`);
    const opening =
      this.#opened.get(index) ?? place.open((rateLimit) => this.#onRateLimit(index, rateLimit));
    this.#opened.set(index, opening);
    try {
      return await opening;
    } catch (error) {
      if (this.#opened.get(index) === opening) this.#opened.delete(index);
      throw error;
    }
  }

  /** Opens a place for editing. @throws UsageError if it is read-only */
  async editor(index: number): Promise<Editor> {
    const { editor } = await this.open(index);
    if (!editor) throw new UsageError("this place is read-only");
    return editor;
  }

  /**
   * Places to edit, by the file or the store that their data is in.
   *
   * @throws UsageError if one is read-only
   */
  async byStore(indexes: readonly number[]): Promise<readonly StorePlaces[]> {
    const stores = new Map<string, StorePlaces>();
    for (const index of indexes) {
      const editor = await this.editor(index);
      const store = stores.get(editor.store) ?? { editor, places: new Map() };
      store.places.set(editor.environment, index);
      stores.set(editor.store, store);
    }
    return [...stores.values()];
  }

  /** Closes a place that failed: the next try opens it again, as settings may have been fixed. */
  async closeFailed(index: number): Promise<void> {
    const opening = this.#opened.get(index);
    this.#opened.delete(index);
    const opened = await opening?.catch(() => undefined);
    await opened?.source.close();
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#opened.values());
    await Promise.allSettled(
      opened.map((item) => item.status === "fulfilled" && item.value.source.close()),
    );
  }
}

/** Thrown for input of a form that is not valid. */
export class InvalidFieldError extends UsageError {
  readonly field: "name" | "value" | "schema";
  constructor(message: string, field: InvalidFieldError["field"]) {
    super(message);
    this.field = field;
  }
}

/** An error for the state. An unexpected one may quote anything, so only its kind is shown. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof AppvarsError)) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { code: "unexpected", message: `unexpected error (${code ?? name ?? "unknown"})` };
  }
  const retryAfter = error instanceof RateLimitedError ? error.retryAfter : undefined;
  return { code: error.code, message: error.message, retryAfter };
}
