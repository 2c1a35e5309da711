import type { Effect } from "./state/effect.js";
import type { Message } from "./state/message.js";
import type { State } from "./state/state.js";
import type { Step } from "./state/step.js";

/** A state that messages change, and that can be looked at and listened to. */
export interface Program {
  readonly state: State;
  dispatch(message: Message): void;
  /** Calls `listener` once after any number of messages that came together. Returns how to stop that. */
  subscribe(listener: () => void): () => void;
}

/**
 * The loop that everything goes through: a message makes a new state, and effects that `perform` carries out, whose
 * outcome comes back as messages.
 *
 * @param defer runs a callback after the input that has come already, `setImmediate` for one
 */
export function createProgram(
  initial: Step,
  update: (state: State, message: Message) => Step,
  perform: (effect: Effect, dispatch: (message: Message) => void) => void,
  defer: (callback: () => void) => void,
): Program {
  const listeners = new Set<() => void>();
  let [state] = initial;
  let isTold = true;
  const tell = () => {
    isTold = true;
    for (const listener of listeners) listener();
  };
  const take = ([next, effects]: Step) => {
    if (next !== state && isTold) {
      isTold = false;
      defer(tell);
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
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
