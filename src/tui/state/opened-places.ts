import { UsageError } from "../../kit/text/errors.js";
import type { RateLimit } from "../../model/reads/http-headers.js";
import type { Editor, OpenPlace, Place, PlacesChange } from "./ports.js";

/** Places in the same file or store. */
interface StorePlaces {
  /** Edits all of the places. */
  readonly editor: Editor;
  /** Indexes by environment. */
  readonly indexOf: Map<string, number>;
}

/** The list of places. Each is opened when it is first needed, and stays open. */
export class OpenedPlaces {
  /**
   * New places are added at the end, because the state refers to places by
   * index.
   */
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

  /** Applies a change, and returns the indexes of the places that are gone. */
  change({ added, gone }: PlacesChange): readonly number[] {
    this.#places.push(...added);
    const indexes = gone.map((place) => this.#places.indexOf(place));
    // A place that comes back is opened again, because it may be another
    // environment with the same name.
    for (const index of indexes) this.#opened.delete(index);
    return indexes;
  }

  /** Opens a place, or returns the open one. Tries again after a failure. */
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

  /** @throws UsageError if the place is read-only */
  async editor(index: number): Promise<Editor> {
    const { editor } = await this.open(index);
    if (!editor) throw new UsageError("this place is read-only");
    return editor;
  }

  /**
   * Opens places for editing, by file or store.
   *
   * @throws UsageError if any of them is read-only
   */
  async byStore(indexes: readonly number[]): Promise<readonly StorePlaces[]> {
    const stores = new Map<string, StorePlaces>();
    for (const index of indexes) {
      const editor = await this.editor(index);
      const store = stores.get(editor.store) ?? { editor, indexOf: new Map() };
      store.indexOf.set(editor.environment, index);
      stores.set(editor.store, store);
    }
    return [...stores.values()];
  }

  /**
   * Closes a place, so that the next try opens it with settings that may have
   * been fixed.
   */
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
