import { AppvarsError, ChangedMeanwhileError, RateLimitedError } from "../../domain/errors.js";
import type { VariableEntry } from "../../domain/source.js";
import type { Effect, PendingEffect } from "../state/effects.js";
import type { Failure } from "../state/loaded.js";
import type { Message } from "../state/messages.js";
import type { OpenedPlaces } from "./opened-places.js";

export type EffectOf<T extends Effect["type"]> = Extract<Effect, { type: T }>;

/** Carries out effects of these types. Never throws. */
export type Performs<T extends Effect["type"]> = {
  readonly [K in T]: (effect: EffectOf<K>) => K extends PendingEffect["type"] ? Promise<void> : unknown;
};

/** Shared by all that carry out effects. */
export interface Shared {
  readonly places: OpenedPlaces;
  /** Index of the place that is shown, and the number of its read. */
  readonly shown: { place: number; generation: number };
  /** The version of the source that entries were read from. */
  readonly versions: WeakMap<readonly VariableEntry[], object>;
  readonly dispatch: (message: Message) => void;
}

/** Dispatches the outcome of some work, or its failure. */
export async function attempt(
  { dispatch }: Pick<Shared, "dispatch">,
  work: () => Promise<Message>,
  toMessage: (failure: Failure) => Message = (failure) => ({ type: "refused", failure }),
): Promise<void> {
  dispatch(await work().catch((error: unknown) => toMessage(toFailure(error))));
}

/** An error for the state. An unexpected one may quote anything, so only its kind is shown. */
export function toFailure(error: unknown): Failure {
  if (!(error instanceof AppvarsError)) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { code: "unexpected", message: `unexpected error (${code ?? name ?? "unknown"})` };
  }
  const retryAfter = error instanceof RateLimitedError ? error.retryAfter : undefined;
  const code = error instanceof ChangedMeanwhileError ? "changed" : error.code;
  return { code, message: error.message, retryAfter };
}
