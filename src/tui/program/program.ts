import type { Effect } from "../state/effects.js";
import type { Message, Step } from "../state/messages.js";
import type { State } from "../state/state.js";

export type Program = ReturnType<typeof createProgram>;

/**
 * The main loop: a message leads to a new state and to effects, whose outcome comes back as messages.
 * @param defer runs a callback after pending input, like `setImmediate`
 */
export function createProgram(
  initial: Step,
  update: (state: State, message: Message) => Step,
  perform: (effect: Effect, dispatch: (message: Message) => void) => void,
  defer: (callback: () => void) => void,
) {
  const listeners = new Set<() => void>();
  let [state] = initial;
  let isPublished = true;
  const publish = () => {
    isPublished = true;
    for (const listener of listeners) listener();
  };
  const take = ([next, effects]: Step) => {
    if (next !== state && isPublished) {
      isPublished = false;
      defer(publish);
    }
    state = next;
    for (const effect of effects) perform(effect, dispatch);
  };
  const dispatch = (message: Message) => take(update(state, message));
  take(initial);
  return {
    get state() {
      return state;
    },
    dispatch,
    /** Calls `listener` once after any number of messages in a row. Returns a function to unsubscribe. */
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
