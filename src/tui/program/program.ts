import { initialState, type Start, withLoaded } from "../reading/loading.js";
import { placesChanged } from "../reading/others.js";
import { cursorInView } from "../reading/selection.js";
import type { Command } from "../state/command.js";
import { OpenedPlaces } from "../state/opened-places.js";
import type { Place, PlacesChange } from "../state/ports.js";
import type { Next, State, Step, Tools, Work } from "../state/state.js";
import { finished, step } from "../state/work.js";
import type { Key, Mouse } from "../widgets/key.js";
import { isHeld, moused, pressed, settled, ticked } from "./update.js";

export interface ProgramOptions
  extends Pick<Tools, "copy" | "write" | "editText" | "listFolder" | "ticks" | "quit" | "suspend" | "redraw"> {
  readonly places: readonly Place[];
  /** Calls `listener` when places may have been added or removed. Returns a function that ends this. */
  readonly follow?: ((listener: (change: PlacesChange) => void) => () => void) | undefined;
  readonly commands: readonly Command[];
  readonly start: Omit<Start, "places" | "now">;
  /** Runs a callback after pending input, like `setImmediate`. */
  readonly defer: (callback: () => void) => void;
}

export type Program = ReturnType<typeof createProgram>;

/** The main loop: a key leads to a new state and to work, whose outcome is a function to the next state. */
export function createProgram({ places: all, follow, commands, start, defer, ...options }: ProgramOptions) {
  const listeners = new Set<() => void>();
  const held: [key: string, next: Next][] = [];
  let editing: Promise<unknown> | undefined;
  const places = new OpenedPlaces(all, (place, rateLimit) => {
    dispatch((now) => step(place === now.place ? withLoaded(now, { rateLimit }) : now));
  });
  const editText: Tools["editText"] = (...text) => {
    const ended = options.editText(...text);
    editing = ended.catch(() => {});
    return ended;
  };
  const tools: Tools = {
    ...{ ...options, places, editText, reads: new Map(), versions: new WeakMap(), asOf: new WeakMap() },
    dispatch: (next) => dispatch(next),
  };
  let isPublished = true;
  const publish = () => {
    isPublished = true;
    for (const listener of listeners) listener();
  };
  const run = async (work: Work) => {
    const next = await finished(work, tools);
    if (next) dispatch(next);
  };
  const take = ([next, work]: Step) => {
    if (next !== state && isPublished) {
      isPublished = false;
      defer(publish);
    }
    state = next;
    for (const each of work) void run(each);
  };
  const dispatch = (next: Next) => {
    take(settled(state, next(state)));
    const [first] = held;
    if (first && !isHeld(state, first[0])) dispatch((held.shift() ?? first)[1]);
  };
  /** Keys wait for a question that is coming; those before an editor has the terminal are for the editor. */
  const typed = (key: string, next: Next) => {
    if (!isHeld(state, key)) dispatch(next);
    else if (!state.pending?.isEditing) held.push([key, next]);
  };
  const initial = initialState({ ...start, places: all, now: options.ticks() });
  let state: State = initial[0];
  take(initial);
  const unfollow = follow?.((change) => {
    const gone = places.change(change);
    dispatch((now) => step(placesChanged(now, change.added, gone)));
  });
  return {
    get state() {
      return state;
    },
    press: (key: Key) => typed(key.name, (now) => pressed(now, key, commands)),
    mouse: (mouse: Mouse) => typed("", (now) => moused(now, mouse, options.ticks(), commands)),
    tick: () => dispatch((now) => ticked(now, options.ticks())),
    resize: (size: { readonly columns: number; readonly rows: number }) =>
      dispatch((now) => step(cursorInView({ ...now, ...size }))),
    /** Calls `listener` once after any number of changes in a row. Returns a function to unsubscribe. */
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Waits until an editor has ended, and closes the places. */
    close: async () => {
      unfollow?.();
      await editing;
      await places.close();
    },
  };
}
