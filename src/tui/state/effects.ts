import { type Failure, toFailure } from "./readings.js";
import { type Effect, type Next, notify, type State, type Tools } from "./state.js";

export function withEffects(state: State, ...effects: readonly Effect[]): State {
  return effects.length === 0 ? state : { ...state, effects: [...state.effects, ...effects] };
}

/**
 * Runs an effect that keys wait for.
 *
 * @param pending `lost` completes the question whether to quit before the end
 */
export function blockingEffect(
  state: State,
  effect: Effect,
  pending: NonNullable<State["pending"]> = {},
): State {
  const own = { ...pending };
  // Close a question whether to quit that was asked in the meantime.
  const isOpen = ({ data }: State["stack"][number]) => (data as { kind?: "quit" }).kind !== "quit";
  return withEffects({ ...state, pending: own }, async (tools) => {
    const next = await outcomeOf(effect, tools);
    return (now) => {
      if (now.pending !== own) return now;
      const ended = { ...now, pending: undefined, stack: now.stack.filter(isOpen) };
      return next ? next(ended) : ended;
    };
  });
}

export function effectOnly(state: State, call: (tools: Tools) => void): State {
  return withEffects(state, async (tools) => {
    call(tools);
    return undefined;
  });
}

/** Runs an effect, and turns an error into a notice. Never rejects. */
export function outcomeOf(effect: Effect, tools: Tools): Promise<Next | undefined> {
  return withFailure(
    effect,
    ({ message }) =>
      (state) =>
        notify(state, message, "error"),
  )(tools);
}

/** Wraps an effect so that `onFailure` handles its errors. */
export function withFailure(effect: Effect, onFailure: (failure: Failure) => Next): Effect {
  return async (tools) => {
    try {
      return await effect(tools);
    } catch (error) {
      return onFailure(toFailure(error));
    }
  };
}
