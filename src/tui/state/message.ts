import type { CopyOutcome, Edit, Entry, RateLimit } from "../ports.js";
import type { Failure } from "./state.js";

/** A key as it was pressed. */
export interface Key {
  /**
   * `up`, `down`, `left`, `right`, `pageup`, `pagedown`, `home`, `end`, `enter`, `escape`, `tab`, `shift-tab`,
   * `backspace`, `delete`, `ctrl-c` and so on; for text the text itself, but `paste` for what was pasted.
   */
  readonly name: string;
  /** What it types; `""` where it types nothing. */
  readonly text: string;
}

/** Everything that can happen. Times are Unix milliseconds. */
export type Message =
  | { readonly type: "key"; readonly key: Key }
  | { readonly type: "resize"; readonly columns: number; readonly rows: number }
  | { readonly type: "tick"; readonly now: number }
  | { readonly type: "opened"; readonly generation: number; readonly isEditable: boolean }
  /** Some of the first reading is there. */
  | {
      readonly type: "progress";
      readonly generation: number;
      readonly entries: readonly Entry[];
      readonly total: number;
    }
  | {
      readonly type: "loaded";
      readonly generation: number;
      readonly now: number;
      /** The same array as before when nothing has changed. */
      readonly entries: readonly Entry[];
      readonly problem: string | undefined;
      /** How many requests it took. */
      readonly requests: number;
    }
  | { readonly type: "failed"; readonly generation: number; readonly now: number; readonly failure: Failure }
  | { readonly type: "rateLimit"; readonly generation: number; readonly rateLimit: RateLimit }
  | { readonly type: "decrypted"; readonly sealed: string; readonly text: string }
  | { readonly type: "notDecrypted"; readonly failure: Failure }
  | { readonly type: "copied"; readonly what: string; readonly outcome: CopyOutcome }
  | { readonly type: "prepared"; readonly edit: Edit }
  | { readonly type: "refused"; readonly failure: Failure }
  | { readonly type: "applied" }
  | { readonly type: "compared"; readonly place: number; readonly entries: readonly Entry[] }
  | { readonly type: "notCompared"; readonly place: number; readonly failure: Failure };
