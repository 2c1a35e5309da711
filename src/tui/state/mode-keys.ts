import { type Step, step } from "./messages.js";
import type { KeyHelp } from "./modes.js";
import { notify, type State } from "./state.js";

/** A key of a mode, which its handler runs and the footer shows. */
export interface ModeKey<M> {
  /** Names of the keys, separated by spaces; the first is shown. */
  readonly keys: string;
  /** A word for the footer; undefined if it isn't shown there. */
  readonly label?: string | ((state: State, mode: M) => string);
  /** Its description in the help. Default the label. */
  readonly help?: string;
  /** Why it can't run now; undefined if it can. */
  readonly whyNot?: (state: State, mode: M) => string | undefined;
  readonly run: (state: State, mode: M) => Step;
}

/** Runs the action of a key, or shows why it can't run now. Undefined if the mode has no such key. */
export function runKey<M>(table: readonly ModeKey<M>[], state: State, mode: M, name: string): Step | undefined {
  const key = table.find(({ keys }) => keys.split(" ").includes(name));
  if (!key) return undefined;
  const reason = key.whyNot?.(state, mode);
  return reason === undefined ? key.run(state, mode) : step(notify(state, reason, "error"));
}

/** The keys that have a label and work now. */
export function workingKeys<M>(table: readonly ModeKey<M>[], state: State, mode: M) {
  return table.flatMap(({ keys, label, whyNot }) => {
    const [name = ""] = keys.split(" ");
    if (label === undefined || whyNot?.(state, mode) !== undefined) return [];
    return [{ name, label: typeof label === "string" ? label : label(state, mode) }];
  });
}

/** The keys of a mode, for its help. */
export function keyHelp<M>(table: readonly ModeKey<M>[]): readonly KeyHelp[] {
  return table.map(({ keys, label, help }) => {
    return { keys: keys.split(" "), text: help ?? (typeof label === "string" ? label : "") };
  });
}
