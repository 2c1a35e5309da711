import { OpenedPlaces, type Performs } from "../reading/opened-places.js";
import { Loading, OtherPlaces } from "../reading/read-place.js";
import { type Effect, isAwaited } from "../state/effects.js";
import type { Message } from "../state/messages.js";
import type { Copy, EditText, Place, PlacesChange, WriteValues } from "../state/ports.js";
import { copying, edits, TextEditing, transfer } from "./work.js";

/** The means to carry out effects. */
export interface PerformerOptions {
  readonly places: readonly Place[];
  /** Calls `listener` when places may have been added or removed. Returns a function that ends this. */
  readonly follow?: ((listener: (change: PlacesChange) => void) => () => void) | undefined;
  readonly copy: Copy;
  readonly write: WriteValues;
  readonly editText: EditText;
  /** The names in a folder, as in `Listing`; none if it can't be read. */
  readonly listFolder: (folder: string) => Promise<readonly string[]>;
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
  readonly quit: () => void;
  readonly suspend: () => void;
  /** Writes the whole screen again. */
  readonly redraw: () => void;
}

type Dispatch = (message: Message) => void;

/** Carries out effects and dispatches their outcomes. Never throws. */
export class Performer {
  #dispatch: Dispatch = () => {};
  readonly #places: OpenedPlaces;
  readonly #texts: TextEditing;
  readonly #performs: Performs<Effect["type"]>;
  readonly #unfollow: (() => void) | undefined;

  constructor(options: PerformerOptions) {
    const { follow, quit, suspend, redraw } = options;
    const dispatch: Dispatch = (message) => this.#dispatch(message);
    const shown = { place: 0, generation: 0 };
    const places = new OpenedPlaces(options.places, (place, rateLimit) => {
      if (place === shown.place) dispatch({ type: "rateLimit", generation: shown.generation, rateLimit });
    });
    const shared = { ...options, places, shown, versions: new WeakMap(), dispatch };
    this.#places = places;
    this.#texts = new TextEditing(shared, options.editText);
    const { load } = new Loading(shared);
    const { compare, readOther, stopReading, lookUp } = new OtherPlaces(shared);
    const { editValue, editText } = this.#texts;
    this.#performs = {
      ...{ load, compare, readOther, stopReading, lookUp, editValue, editText, quit, suspend, redraw },
      ...edits(shared),
      ...copying(shared),
      ...transfer(shared),
    };
    this.#unfollow = follow?.((change) => {
      dispatch({ type: "placesChanged", added: change.added, gone: places.change(change) });
    });
  }

  /** Whether a text is open in the person's own editor, or about to be. */
  get isEditing(): boolean {
    return this.#texts.isEditing;
  }

  async close(): Promise<void> {
    this.#unfollow?.();
    await this.#texts.close();
    await this.#places.close();
  }

  readonly perform = (effect: Effect, dispatch: Dispatch): void => {
    this.#dispatch = dispatch;
    const carryOut = this.#performs[effect.type] as (effect: Effect) => unknown;
    const outcome = carryOut(effect);
    if (isAwaited(effect)) void Promise.resolve(outcome).then(() => dispatch({ type: "done", effect }));
  };
}
