import type { Difference } from "../../domain/differing-values.js";
import type { VariableEntry } from "../../domain/source.js";
import type { VariableType } from "../../domain/variable.js";
import type { Position } from "../widgets/list.js";
import type { TextField } from "../widgets/text-field.js";
import type { EditPurpose, Effect, Purpose } from "./effects.js";
import type { Failure } from "./loaded.js";
import type { Change, Edit, NewCredentials } from "./ports.js";

export const FORM_FIELDS = ["name", "type", "value", "description"] as const;
export type FormField = (typeof FORM_FIELDS)[number];

export interface Form {
  readonly kind: "form";
  readonly purpose: "add" | "edit";
  /** Index of the place that is edited, by default the open one. */
  readonly place?: number;
  /** The mode that it was opened from and goes back to, if not the list. */
  readonly back?: Matrix | Comparison;
  /** Undefined for a new variable or one without a value. */
  readonly before: Change["before"];
  readonly field: FormField;
  readonly name: TextField;
  readonly type: VariableType;
  readonly value: TextField;
  /** While the field of the value is empty: the value stays, which is none, or encrypted and can't be shown. */
  readonly isValueKept: boolean;
  readonly description: TextField;
  readonly problem?: string | undefined;
}

/** The buttons of a confirmation. `drop` takes an edit that can't be undone out of the history. */
export type Answer = "yes" | "back" | "drop";

/** An edit that is asked about, or that is being written. */
export interface PlannedEdit {
  readonly purpose: Purpose;
  /** Index of the place that is edited. */
  readonly place: number;
  readonly edit: Edit;
  /** The kind of the edit that is undone or redone. */
  readonly of?: EditPurpose | undefined;
}

export interface Confirmation extends PlannedEdit {
  readonly kind: "confirm";
  /** The input for the new value, which the edit may have encrypted. Not in the edit, which the history keeps. */
  readonly text?: string | undefined;
  /** Whether another program has changed the variable since the form was opened: `before` is its new state. */
  readonly isChangedMeanwhile?: boolean;
  readonly isRevealed: boolean;
  /** When values that `v` has revealed are masked again. */
  readonly shownUntil?: number | undefined;
  /** The button with the focus. */
  readonly button: Answer;
  /** The input where a name must be typed before the edit is made. */
  readonly typed: TextField;
  readonly problem?: string | undefined;
  /** The mode that asked, to go back to. */
  readonly back: Mode;
  readonly top: number;
}

/** The position is that in the list. */
export interface Comparison extends Position {
  readonly kind: "diff";
  /** Index of the other place. */
  readonly place: number;
  readonly phase: "loading" | "ready" | "failed";
  readonly failure?: Failure | undefined;
  /** Whether the other place can be edited, as far as known. */
  readonly isEditable: boolean;
  /** The variables of the open place and of the other that were compared. */
  readonly open: readonly VariableEntry[];
  readonly others: readonly VariableEntry[];
  /** When those of the other were read. */
  readonly asOf?: number | undefined;
  /** From the open place (`before`) to the other (`after`), by name. */
  readonly all: readonly Difference[];
  /** Those that match the filter. */
  readonly differences: readonly Difference[];
  readonly filter: string;
  /** The filter while it is typed; Escape restores `before`. */
  readonly typing?: { readonly field: TextField; readonly before: string } | undefined;
  readonly focus: "list" | "detail";
  /** First visible line of the detail. */
  readonly detailTop: number;
}

/** A place is being picked. */
export interface PickMode {
  readonly kind: "pick";
  readonly purpose:
    | { readonly kind: "compare" }
    /** `from` is the index of their place, by default the open one. */
    | { readonly kind: "take-over"; readonly entries: readonly VariableEntry[]; readonly from?: number | undefined };
  /** Index of a place, which is never the one that values come from. */
  readonly cursor: number;
  /** The mode to go back to. */
  readonly back: Mode;
}

/** Names by the places of the open one's group. Its rows and columns follow from the data. */
export interface Matrix {
  readonly kind: "matrix";
  /** The variable under the cursor, and its row unless rows have changed since. */
  readonly name: string;
  readonly cursor: number;
  /** Index of the place under the cursor. */
  readonly place: number;
  /** The first visible row and, of the columns that scroll, the first visible one. */
  readonly top: number;
  readonly left: number;
  readonly only: "all" | "differing" | "missing";
  readonly filter: string;
  /** The filter while it is typed, and the one to go back to. */
  readonly typed?: { readonly field: TextField; readonly before: string } | undefined;
}

/** Choosing how to copy variables. */
export interface CopyMode {
  readonly kind: "copy";
  readonly entries: readonly VariableEntry[];
  /** Index in `COPY_ITEMS`. */
  readonly cursor: number;
  readonly back: Mode;
}

/** Typing a command. */
export interface CommandLine {
  readonly kind: "command";
  readonly field: TextField;
  /** The text that the candidates match: as it was typed, while Tab puts one after the other into the field. */
  readonly query: string;
  /** Index of the candidate that the person has chosen. */
  readonly chosen?: number | undefined;
  /** The last folder that was listed for an argument that is a file. */
  readonly listing?: Listing | undefined;
  readonly problem?: string | undefined;
  /** The mode to go back to without a command, if not the list. */
  readonly back?: Mode | undefined;
}

export interface Listing {
  /** As it was typed, up to the last slash; `""` for the current folder. */
  readonly folder: string;
  /** With a slash after those of folders. */
  readonly names: readonly string[];
}

/** A question. Its answer makes an effect, or closes the mode that asks. */
export interface Question {
  readonly kind: "ask";
  readonly title: string;
  readonly text: string;
  /** Its action: `Replace`. */
  readonly answer: string;
  /** Something is lost: the other button has the focus, and the key of the answer is Ctrl-X instead of Ctrl-S. */
  readonly isDestructive?: boolean;
  readonly effect?: Effect;
  readonly button: Exclude<Answer, "drop">;
  /** The word to type before; the input so far. */
  readonly required?: string | undefined;
  readonly typed: TextField;
  readonly problem?: string | undefined;
  /** The mode to go back to. */
  readonly back: Mode;
}

/** New credentials. */
export interface CredentialsMode {
  readonly kind: "credentials";
  readonly credentials: NewCredentials;
  /** Until when the secret is shown. */
  readonly until?: number | undefined;
  /** The mode to go back to. */
  readonly back: Mode;
}

export interface KeyHelp {
  readonly keys: readonly string[];
  readonly text: string;
}

export interface HelpMode {
  readonly kind: "help";
  readonly top: number;
  /** The keys of the mode that it was opened from and goes back to; without it, all commands. */
  readonly keys?: readonly KeyHelp[];
  readonly back?: Mode;
}

export type Mode =
  | { readonly kind: "browse" }
  /** Typing the filter; Escape restores `before`. */
  | { readonly kind: "filter"; readonly field: TextField; readonly before: string }
  | CommandLine
  | HelpMode
  | PickMode
  | CopyMode
  | Comparison
  | Matrix
  | Form
  | Confirmation
  | Question
  | CredentialsMode;

/** Whether Ctrl-C was pressed where something would be lost. */
export function isQuitQuestion(mode: Mode): mode is Question {
  return mode.kind === "ask" && mode.effect?.type === "quit";
}

/** A mode, and those that it covers and goes back to. */
export function modesUnder(mode: Mode): readonly Mode[] {
  return "back" in mode && mode.back ? [mode, ...modesUnder(mode.back)] : [mode];
}
