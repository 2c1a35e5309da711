import { type Failure, toFailure } from "./failure.js";
import { type Effect, type Next, notify, type State, type Step, type Tools } from "./state.js";

export function step(state: State, ...effects: Effect[]): Step {
  return [state, effects];
}

/** Continues from a step, and combines the effects. */
export function andThen([state, effects]: Step, next: Next): Step {
  const [after, more] = next(state);
  return [after, [...effects, ...more]];
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
): Step {
  const own = { ...pending };
  // Close a question whether to quit that was asked in the meantime.
  const isOpen = ({ data }: State["stack"][number]) => (data as { kind?: "quit" }).kind !== "quit";
  return step({ ...state, pending: own }, async (tools) => {
    const next = (await outcomeOf(effect, tools)) ?? step;
    return (now) => {
      const isCancelled = now.pending !== own;
      return isCancelled
        ? step(now)
        : next({ ...now, pending: undefined, stack: now.stack.filter(isOpen) });
    };
  });
}

export function effectOnly(state: State, call: (tools: Tools) => void): Step {
  return step(state, async (tools) => {
    call(tools);
    return undefined;
  });
}

/** Runs an effect, and turns an error into a notice. Never rejects. */
export function outcomeOf(effect: Effect, tools: Tools): Promise<Next | undefined> {
  const noticeOf = ({ message }: Failure): Next => {
    return (state) => step(notify(state, message, "error"));
  };
  return withFailure(effect, noticeOf)(tools);
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
