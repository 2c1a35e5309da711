import type { RateLimit } from "../../domain/http-headers.js";
import type { VariableEntry } from "../../domain/source.js";
import type { Key, Mouse } from "../widgets/key.js";
import type { EditPurpose, Effect, PendingEffect } from "./effects.js";
import type { Elsewhere, Failure, Other, PlaceInfo, Reading } from "./loaded.js";
import type { Listing } from "./modes.js";
import type { CopyOutcome, Edit, Exported, ExportedFile, NamedFile, NewCredentials } from "./ports.js";
import type { State } from "./state.js";

/** Everything that can happen. Times are in milliseconds on a monotonic clock. */
export type Message =
  | { readonly type: "key"; readonly key: Key }
  | { readonly type: "mouse"; readonly mouse: Mouse; readonly now: number }
  | { readonly type: "resize"; readonly columns: number; readonly rows: number }
  | { readonly type: "tick"; readonly now: number }
  | { readonly type: "opened"; readonly generation: number; readonly isEditable: boolean; readonly identity?: string }
  | Readonly<{ type: "progress"; generation: number; entries: readonly VariableEntry[]; total: number }>
  | ({ readonly type: "loaded"; readonly generation: number } & Reading)
  | { readonly type: "failed"; readonly generation: number; readonly now: number; readonly failure: Failure }
  | { readonly type: "rateLimit"; readonly generation: number; readonly rateLimit: RateLimit }
  | { readonly type: "decrypted"; readonly sealed: string; readonly text: string }
  | { readonly type: "notDecrypted"; readonly failure: Failure }
  | Readonly<{ type: "copied"; what: string; note?: string | undefined; outcome: CopyOutcome }>
  /** The text from the editor; undefined if it is as before. */
  | Readonly<{ type: "valueEdited"; place: number; entry: VariableEntry; text: string | undefined }>
  | { readonly type: "textEdited"; readonly text: string | undefined }
  /** With the input for the value, which the edit may have encrypted. */
  | { readonly type: "prepared"; readonly edit: Edit; readonly text?: string | undefined }
  | { readonly type: "assigned"; readonly place: number; readonly purpose: EditPurpose; readonly edit: Edit }
  | { readonly type: "renewed"; readonly edit: Edit; readonly now: Edit }
  | Readonly<{ type: "imported"; place: number; file: NamedFile; edit: Edit; notes: readonly string[] }>
  | { readonly type: "notPrepared"; readonly name: string; readonly failure: Failure }
  | { readonly type: "applied" }
  | { readonly type: "notApplied"; readonly failure: Failure }
  /** Other work that was refused. */
  | { readonly type: "refused"; readonly failure: Failure }
  | Readonly<{ type: "compared"; place: number; entries: readonly VariableEntry[]; asOf: number; isEditable: boolean }>
  | { readonly type: "notCompared"; readonly place: number; readonly failure: Failure }
  | ({ readonly type: "otherRead"; readonly place: number } & Omit<Other, "isReading">)
  | ({ readonly type: "lookedUp" } & Elsewhere)
  | ({ readonly type: "listed" } & Listing)
  | Readonly<{ type: "exported"; place: number; file: ExportedFile; outcome: Exported }>
  | { readonly type: "credentials"; readonly credentials: NewCredentials }
  /** With the indexes of all places that are not there now. */
  | Readonly<{ type: "placesChanged"; added: readonly PlaceInfo[]; gone: readonly number[] }>
  /** Comes after the outcome of this effect. */
  | { readonly type: "done"; readonly effect: PendingEffect };

/** The outcome of a message: the next state, and work to do. */
export type Step = readonly [state: State, effects: readonly Effect[]];

export function step(state: State, ...effects: Effect[]): Step {
  return [state, effects];
}
