import type { Difference } from "../../domain/diff.js";
import type { VariableType } from "../../domain/variable.js";
import type { Edit, Entry, Place, RateLimit } from "../ports.js";
import type { TextField } from "./text-field.js";

/** What of a place is shown; how to open it is nothing that state knows. */
export type PlaceInfo = Pick<Place, "name" | "kind" | "detail">;

/** Why something did not work, in words for people. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Seconds to wait before another try, when the server said so. */
  readonly retryAfter?: number | undefined;
}

/** The variables of the open place. Times are Unix milliseconds. */
export interface Loaded {
  readonly phase: "loading" | "ready" | "failed";
  /** Which reading of which place the answers that count belong to: what comes late of another is dropped. */
  readonly generation: number;
  /** By ascending id of the variable. While the first reading goes on, those that are there so far. */
  readonly entries: readonly Entry[];
  /** Whether `entries` is all of them. */
  readonly isComplete: boolean;
  /** How many there will be. */
  readonly total: number;
  /** When they were last known to be what the source has. */
  readonly asOf: number | undefined;
  readonly failure: Failure | undefined;
  /** When it is tried again after a failure, or looked for changes after a success. */
  readonly nextAt: number | undefined;
  /** Failures in a row. */
  readonly failures: number;
  /** What the source says is wrong with it, though it answers. */
  readonly problem: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly isEditable: boolean;
}

export const SORTS = ["id", "name", "type"] as const;
export type Sort = (typeof SORTS)[number];

/** The list in the middle. */
export interface List {
  readonly filter: string;
  readonly type: VariableType | undefined;
  readonly sort: Sort;
  /** Indexes into `entries` of those that pass filter and type, in the order of the list. */
  readonly rows: readonly number[];
  /** Index into `rows`. */
  readonly cursor: number;
  /** Index into `rows` of the first line that is seen. */
  readonly top: number;
}

/** Which values are shown, until when. */
export interface Revealed {
  readonly names: ReadonlySet<string> | "all";
  /** What a client had encrypted, as text, by what it was encrypted to: another value is another text. */
  readonly decrypted: ReadonlyMap<string, string>;
  readonly until: number;
}

/** What the last looks have found to be another, by name, until when it is marked. */
interface Marks {
  readonly kinds: ReadonlyMap<string, "added" | "changed">;
  readonly until: number;
}

/** A line that tells what has happened, until when. */
export interface Notice {
  readonly text: string;
  readonly tone: "info" | "success" | "error";
  readonly until: number;
}

export type Purpose = "add" | "edit" | "delete" | "undo";

export type FormField = "name" | "type" | "value" | "description";

export interface Form {
  readonly kind: "form";
  readonly purpose: "add" | "edit";
  /** What the variable holds; undefined for a new one or one without a value. */
  readonly before: Edit["before"];
  readonly field: FormField;
  readonly name: TextField;
  readonly type: VariableType;
  readonly value: TextField;
  readonly description: TextField;
  /** What is wrong with what was typed. */
  readonly problem: string | undefined;
}

export interface Confirmation {
  readonly kind: "confirm";
  readonly purpose: Purpose;
  readonly edit: Edit;
  /** Whether the values are shown. */
  readonly isRevealed: boolean;
  /** Whether it is being written. */
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  /** The form to go back to. */
  readonly form: Form | undefined;
  /** First line that is seen. */
  readonly top: number;
}

export interface Comparison {
  readonly kind: "diff";
  /** Index of the place that it is compared with. */
  readonly place: number;
  readonly phase: "loading" | "ready" | "failed";
  readonly failure: Failure | undefined;
  /** From the open place (`before`) to the other (`after`), by name. */
  readonly differences: readonly Difference[];
  readonly cursor: number;
  readonly top: number;
}

/** What keys go to. */
export type Mode =
  | { readonly kind: "browse" }
  /** The filter is being typed; `before` is what Escape brings back. */
  | { readonly kind: "filter"; readonly field: TextField; readonly before: string }
  | {
      readonly kind: "command";
      readonly field: TextField;
      readonly problem: string | undefined;
      /** What it could be completed to, when that is several. */
      readonly choices?: string | undefined;
    }
  | { readonly kind: "help"; readonly top: number }
  /** Choosing the place to compare with. */
  | { readonly kind: "pick"; readonly cursor: number }
  | Comparison
  | Form
  | Confirmation;

export const PANELS = ["places", "variables", "record"] as const;
export type Panel = (typeof PANELS)[number];

/** All that is seen follows from this. Never changed in place. */
export interface State {
  readonly columns: number;
  readonly rows: number;
  /** Unix milliseconds, as of the last message that told the time. */
  readonly now: number;
  readonly places: readonly PlaceInfo[];
  /** Index of the open place. */
  readonly place: number;
  /** Index of the place that the left panel's cursor is on. */
  readonly placeCursor: number;
  readonly loaded: Loaded;
  readonly list: List;
  readonly focus: Panel;
  /** First line of the record that is seen. */
  readonly recordTop: number;
  readonly mode: Mode;
  readonly revealed: Revealed | undefined;
  readonly marks: Marks | undefined;
  readonly notice: Notice | undefined;
  /** Edits of this session in the open place that can be undone, the newest last. */
  readonly undo: readonly Edit[];
  /** The same of the other places, by their index. */
  readonly undoElsewhere: ReadonlyMap<number, readonly Edit[]>;
}
