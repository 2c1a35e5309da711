import { leaveOthers, placesChanged, pollWhenDue, requestReads } from "../reading/polling.js";
import { openWelcome } from "../screens/place-menus.js";
import { gridOf } from "../stack/grid.js";
import { topScreen } from "../stack/screen.js";
import { outcomeOf, withEffects } from "../state/effects.js";
import { isTooSmall } from "../state/layout.js";
import { OpenedPlaces } from "../state/opened-places.js";
import type { Place, PlacesChange } from "../state/ports.js";
import { withReading } from "../state/readings.js";
import {
  type Effect,
  initialState,
  type Next,
  type Start,
  type State,
  type Tools,
} from "../state/state.js";
import { decryptions, expireRevealed } from "../table/reveal.js";
import { withRange } from "../table/selection.js";
import type { Key, Mouse } from "../widgets/key.js";
import { handleKey, KeyQueue, mustWait } from "./keys.js";
import { handleMouse, ShownTargets } from "./mouse.js";

export interface ProgramOptions
  extends Pick<
    Tools,
    | "copy"
    | "write"
    | "openInEditor"
    | "welcome"
    | "listFolder"
    | "ticks"
    | "quit"
    | "suspend"
    | "redraw"
  > {
  readonly places: readonly Place[];
  /** Calls `listener` when places may have been added or removed. */
  readonly follow?: ((listener: (change: PlacesChange) => void) => void) | undefined;
  readonly start: Omit<Start, "places" | "time">;
  /** Runs a callback after pending input, like `setImmediate`. */
  readonly defer: (callback: () => void) => void;
}

/**
 * The main loop. A key leads to a new state with effects to run; each effect
 * resolves to a function that returns the next state.
 */
export class Program {
  readonly #options: ProgramOptions;
  readonly #places: OpenedPlaces;
  readonly #tools: Tools;
  readonly #keys: KeyQueue;
  readonly #targets = new ShownTargets();
  readonly #listeners = new Set<() => void>();
  #state: State;
  #isPublished = true;
  #editing: Promise<unknown> | undefined;

  constructor(options: ProgramOptions) {
    const { places, follow, start, welcome, ticks } = options;
    this.#options = options;
    this.#keys = new KeyQueue(ticks);
    this.#places = new OpenedPlaces(places, (place, rateLimit) =>
      this.#dispatch((now) => withReading(now, place, { rateLimit })),
    );
    this.#tools = {
      ...options,
      places: this.#places,
      openInEditor: this.#openInEditor,
      dispatch: (next) => this.#dispatch(next),
      until: (isWanted) => this.#until(isWanted),
      reads: new Map(),
    };
    this.#state = initialState({ ...start, places, time: ticks() });
    const reading = requestReads(this.#state, [start.place]);
    const first = welcome ? openWelcome(reading, welcome) : reading;
    // Nobody has seen an earlier state, so there is no change to publish.
    this.#state = first;
    this.#take(first);
    follow?.((change) => {
      const gone = this.#places.change(change);
      this.#dispatch((now) => placesChanged(now, change.added, gone));
    });
  }

  get state(): State {
    return this.#state;
  }

  /**
   * Handles a key. Keys wait for pending work; those typed before an editor
   * opens are dropped.
   */
  press(key: Key): void {
    // Keys typed earlier are not meant for the question whether to quit.
    if (key.name === "ctrl-c") this.#keys.clear();
    if (this.#keys.drops(key)) return;
    const { pending } = this.#state;
    if (key.name === "escape" && pending?.isReading) {
      this.#keys.clear();
      this.#dispatch((now) => ({ ...now, pending: undefined }));
    } else if (!mustWait(this.#state, key.name)) this.#dispatch(this.#handling(key), true);
    else if (!pending?.isEditing) this.#keys.add(key);
  }

  /**
   * Handles a press or the wheel. They never wait, because they are aimed at
   * the current screen.
   */
  mouse(mouse: Mouse): void {
    if (isTooSmall(this.#state) || mustWait(this.#state)) return;
    if (!this.#targets.hasPanels(this.#state)) return;
    const at = this.#options.ticks();
    const isAimed = this.#targets.isAimed(this.#state, at);
    this.#dispatch((now) => handleMouse(now, { ...mouse, at }, isAimed), true);
  }

  /** Must be called when the state has been drawn. */
  shown(): void {
    this.#targets.show(this.#state, this.#options.ticks());
  }

  tick(): void {
    this.#dispatch((before) => {
      const now = expire({ ...before, time: this.#options.ticks() });
      return pollWhenDue(now, gridOf(now).table);
    });
  }

  resize(size: Pick<State, "columns" | "rows">): void {
    this.#dispatch((now) => ({ ...now, ...size }));
  }

  /**
   * Calls `listener` once after any number of changes in a row. Returns a
   * function to unsubscribe.
   */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    await this.#editing;
    await this.#places.close();
  }

  #handling(key: Key): Next {
    return (now) => handleKey(now, key);
  }

  /** @param isInput whether the user pressed a key or a button for it */
  #dispatch(next: Next, isInput = false): void {
    const before = this.#state;
    this.#take(withFollowUps(before, next(before)));
    this.#keys.update(before, this.#state, isInput);
    const key = this.#keys.next(this.#state);
    if (key) this.#dispatch(this.#handling(key), true);
  }

  #take(next: State): void {
    if (next !== this.#state && this.#isPublished) {
      this.#isPublished = false;
      this.#options.defer(this.#publish);
    }
    const { effects } = next;
    this.#state = effects.length > 0 ? { ...next, effects: [] } : next;
    for (const effect of effects) void this.#run(effect);
  }

  async #run(effect: Effect): Promise<void> {
    const next = await outcomeOf(effect, this.#tools);
    if (next) this.#dispatch(next);
  }

  readonly #publish = (): void => {
    this.#isPublished = true;
    for (const listener of this.#listeners) listener();
  };

  #until(isWanted: (state: State) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (!isWanted(this.#state)) return;
        stop();
        resolve();
      });
    });
  }

  readonly #openInEditor: Tools["openInEditor"] = (...text) => {
    const edited = this.#options.openInEditor(...text);
    this.#editing = edited.catch(() => {});
    return edited;
  };
}

/**
 * Runs after every change: cancels reads whose results are not needed, updates
 * the table, and decrypts revealed values.
 */
function withFollowUps(before: State, changed: State): State {
  const isEntered =
    changed.stack.length > 0 && topScreen(changed)?.screen !== topScreen(before)?.screen;
  // An older notice would hide the keys of the new screen.
  const shown: State =
    isEntered && changed.notice === before.notice ? { ...changed, notice: undefined } : changed;
  const state = leaveOthers(before, syncTable(before, shown));
  return withEffects(state, ...newDecryptions(before, state));
}

/**
 * Closes an open range when the rows change, and scrolls the record to its
 * start for another variable.
 */
function syncTable(before: State, state: State): State {
  const [was, is] = [gridOf(before), gridOf(state)];
  const isOpen = state.marks.from !== undefined && was.rows !== is.rows;
  const marks = isOpen ? withRange(state.marks, was) : state.marks;
  const recordTop = was.name === is.name ? state.recordTop : 0;
  return marks === state.marks && recordTop === state.recordTop
    ? state
    : { ...state, marks, recordTop };
}

function newDecryptions(before: State, state: State): readonly Effect[] {
  const [was, is] = [gridOf(before), gridOf(state)];
  const isSame =
    was.name === is.name &&
    was.table === is.table &&
    before.revealed?.names === state.revealed?.names;
  return isSame
    ? []
    : is.table.columns.flatMap(({ place, cells }) => decryptions(state, place, cells[is.row]));
}

/**
 * Removes what was shown only for a time: notices, revealed values and marks of
 * changes.
 */
function expire(state: State): State {
  const isOver = (item: { until: number } | undefined) =>
    item !== undefined && item.until <= state.time;
  const over = [...state.readings].filter(([, { changes }]) => isOver(changes));
  const next = over.reduce(
    (now, [place]) => withReading(now, place, { changes: undefined }),
    state,
  );
  const notice = isOver(state.notice) ? undefined : state.notice;
  return { ...expireRevealed(next), notice };
}
