import type { Difference } from "../../domain/diff.js";
import type { RateLimit } from "../../domain/http-headers.js";
import type { VariableEntry } from "../../domain/source.js";
import type { JsonValue, VariableType } from "../../domain/variable.js";
import type { Key } from "../input/key.js";
import type { Mouse, Press } from "../input/mouse.js";
import type { TextField } from "../input/text-field.js";
import type { CopyFormat } from "./copy-formats.js";
import type { Position } from "./cursor.js";
import type {
  Assignment,
  Change,
  CopyOutcome,
  Draft,
  Edit,
  Exported,
  NamedFile,
  NewCredentials,
  Place,
} from "./ports.js";
import type { Preferences } from "./preferences.js";

export type PlaceInfo = Pick<Place, "name" | "group" | "identity" | "kind" | "detail">;

/** How the last read of a place went. `problem`: it answers, but reports that something is wrong with its data. */
export type Health = "unread" | "reading" | "ok" | "problem" | "failed";

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Seconds to wait before the next try, if the server said so. */
  readonly retryAfter?: number | undefined;
}

/** The variables of the open place. Times are in milliseconds on a monotonic clock. */
export interface Loaded {
  /** Number of the current read: late answers to an earlier one are dropped. */
  readonly generation: number;
  /** By ascending id of the variable. During the first read, those received so far. */
  readonly entries: readonly VariableEntry[];
  readonly isComplete: boolean;
  /** How many there are in all, as far as known. */
  readonly total: number;
  /** When they were last known to be up to date; undefined if that isn't known. */
  readonly asOf?: number | undefined;
  readonly failure?: Failure | undefined;
  /** When to try again after a failure, or to look for changes after a success; undefined while reading. */
  readonly nextAt?: number | undefined;
  readonly failures: number;
  /** A problem that the source reports although it answers. */
  readonly problem?: string | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly isEditable: boolean;
}

/** What was read of a place beside the open one. */
export interface Other {
  /** Whether another answer is on its way. */
  readonly isReading: boolean;
  /** By ascending id of the variable; undefined until all have been read. */
  readonly entries?: readonly VariableEntry[] | undefined;
  /** Why the last read failed. */
  readonly failure?: Failure | undefined;
  /** Whether looking for changes sends no request. */
  readonly isLocal: boolean;
}

/** The values of one variable in the other places of the group; undefined where it has none. */
export interface Elsewhere {
  readonly name: string;
  readonly values: ReadonlyMap<number, JsonValue | undefined>;
}

export const SORTS = ["id", "name", "type"] as const;
export type Sort = (typeof SORTS)[number];

export interface List extends Position {
  readonly filter: string;
  readonly type: VariableType | undefined;
  readonly sort: Sort;
  readonly isReversed: boolean;
  /** The variable that the cursor goes to as soon as it is listed, unless it is moved before; undefined once it is there. */
  readonly wanted?: string | undefined;
  /** Indexes into `entries` of those that match filter and type, in the order of the list. */
  readonly rows: readonly number[];
}

/** The variables that are marked for one action on all of them, in whatever order and even while a filter hides them. */
export interface Selection {
  readonly names: ReadonlySet<string>;
  /** The line of the list where a range begins; it ends at the cursor, until it is kept. */
  readonly from?: number | undefined;
}

/** What is searched in the shown value of a variable. */
interface ValueSearch {
  readonly name: string;
  readonly text: string;
  /** Of the current match, from 0. */
  readonly index: number;
}

/** Which values are shown, and until when. */
export interface Revealed {
  readonly names: ReadonlySet<string> | "all";
  /** Decrypted text by the encrypted value. */
  readonly decrypted: ReadonlyMap<string, string>;
  readonly until: number;
}

/** Names of recently changed variables, and until when they are marked. */
interface Marks {
  readonly kinds: ReadonlyMap<string, "added" | "changed">;
  readonly until: number;
}

export interface Notice {
  readonly text: string;
  readonly tone: "info" | "success" | "error";
  readonly until: number;
}

export type EditPurpose = "add" | "edit" | "delete" | "take-over" | "import";
export type Purpose = EditPurpose | "undo" | "redo";

export const FORM_FIELDS = ["name", "type", "value", "description"] as const;
export type FormField = (typeof FORM_FIELDS)[number];

export interface Form {
  readonly kind: "form";
  readonly purpose: "add" | "edit";
  /** Index of the place that is edited, by default the open one. */
  readonly place?: number;
  /** What it was opened from and goes back to, if not the list. */
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
  /** Set while the form asks whether to drop what was typed. */
  readonly leaving?: Leaving | undefined;
}

/** The question before what was typed into a form is dropped. */
export interface Leaving {
  readonly to: "browse" | "quit";
  readonly button: "back" | "drop";
}

/** The buttons of a confirmation. `drop` takes an edit that can't be undone out of the history. */
export type Answer = "yes" | "back" | "drop";

export interface Confirmation {
  readonly kind: "confirm";
  readonly purpose: Purpose;
  /** Index of the place that is edited. */
  readonly place: number;
  readonly edit: Edit;
  /** What the edit was that is undone or redone. */
  readonly of?: EditPurpose | undefined;
  /** Whether another program has changed the variable since the form was opened: `before` is what it has become. */
  readonly isChangedMeanwhile?: boolean;
  readonly isRevealed: boolean;
  readonly isBusy: boolean;
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

/** Names by the places of the open one's group. Its rows and columns follow from what was read. */
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
  /** Index of the line of the history in the field. */
  readonly recalled?: number | undefined;
  /** The last folder that was listed for an argument that is a file. */
  readonly listing?: Listing | undefined;
  readonly problem?: string | undefined;
}

export interface Listing {
  /** As it was typed, up to the last slash; `""` for the current folder. */
  readonly folder: string;
  /** With a slash after those of folders. */
  readonly names: readonly string[];
}

/** A question before an effect. */
export interface Question {
  readonly kind: "ask";
  readonly title: string;
  readonly text: string;
  /** What it does: `Replace`. */
  readonly answer: string;
  readonly effect: Effect;
  readonly button: Exclude<Answer, "drop">;
  /** What must be typed before; what was typed. */
  readonly required?: string | undefined;
  readonly typed: TextField;
  readonly problem?: string | undefined;
  /** The mode to go back to. */
  readonly back: Mode;
}

/** New credentials, which are shown only once. */
export interface CredentialsMode {
  readonly kind: "credentials";
  readonly credentials: NewCredentials;
  /** Until when the secret is shown. */
  readonly until?: number | undefined;
  /** The mode to go back to. */
  readonly back: Mode;
}

export type Mode =
  | { readonly kind: "browse" }
  /** Typing the filter; Escape restores `before`. */
  | { readonly kind: "filter"; readonly field: TextField; readonly before: string }
  /** Typing what is searched in the value of the record; Escape restores `before`. */
  | { readonly kind: "search"; readonly field: TextField; readonly before: Pick<State, "search" | "recordTop"> }
  | CommandLine
  | { readonly kind: "help"; readonly top: number }
  | PickMode
  | CopyMode
  | Comparison
  | Matrix
  | Form
  | Confirmation
  | Question
  | CredentialsMode;

export const PANELS = ["places", "variables", "record"] as const;
export type PanelName = (typeof PANELS)[number];

/** An edit that was written. */
export interface Done {
  /** Index of its place. */
  readonly place: number;
  readonly purpose: EditPurpose;
  readonly edit: Edit;
}

/** The edits of this session in all places, the newest last. */
export interface History {
  readonly done: readonly Done[];
  /** Those that were undone since the last other edit, the one to redo first last. */
  readonly undone: readonly Done[];
}

/** Everything that the screen shows. Immutable. */
export interface State {
  readonly preferences: Preferences;
  readonly columns: number;
  readonly rows: number;
  /** Milliseconds on a monotonic clock, as of the last message with a time. */
  readonly now: number;
  readonly places: readonly PlaceInfo[];
  readonly place: number;
  /** Index of the place under the cursor of the left panel. */
  readonly placeCursor: number;
  /** How the last reads of places went, by their index. For the open one, `loaded` tells. */
  readonly health: ReadonlyMap<number, Health>;
  readonly loaded: Loaded;
  /** What was read of other places, by their index. Kept as long as it is shown. */
  readonly others: ReadonlyMap<number, Other>;
  /** The variable under the cursor in the other places of the group. */
  readonly elsewhere: Elsewhere | undefined;
  readonly list: List;
  readonly selection: Selection;
  readonly focus: PanelName;
  /** First visible line of the record. */
  readonly recordTop: number;
  readonly search: ValueSearch | undefined;
  /** How many levels of a JSON value are shown, by the name of its variable; all by default. */
  readonly folds: ReadonlyMap<string, number>;
  readonly mode: Mode;
  readonly revealed: Revealed | undefined;
  readonly marks: Marks | undefined;
  readonly notice: Notice | undefined;
  /** The last press of the mouse. */
  readonly lastPress?: Press | undefined;
  readonly history: History;
  /** Lines that were typed after `:` in this session, without secrets; the newest last. */
  readonly commandHistory: readonly string[];
}

const NOTICE_MS = { info: 5_000, success: 5_000, error: 10_000 } as const;

/** Shows a notice, which must not contain a value. */
export function notify(state: State, text: string, tone: Notice["tone"] = "info"): State {
  return { ...state, notice: { text, tone, until: state.now + NOTICE_MS[tone] } };
}

/** Returns to the list, with a notice if there is something to say. */
export function backToBrowse(state: State, text?: string, tone?: Notice["tone"]): State {
  const browsing: State = { ...state, mode: { kind: "browse" } };
  return text === undefined ? browsing : notify(browsing, text, tone);
}

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
  | { readonly type: "copied"; readonly what: string; readonly outcome: CopyOutcome }
  /** The text from the editor; undefined if it is as before. */
  | Readonly<{ type: "valueEdited"; place: number; entry: VariableEntry; text: string | undefined }>
  | { readonly type: "textEdited"; readonly text: string | undefined }
  | { readonly type: "prepared"; readonly edit: Edit }
  | { readonly type: "assigned"; readonly place: number; readonly purpose: Purpose; readonly edit: Edit }
  | Readonly<{ type: "imported"; place: number; file: NamedFile; edit: Edit; notes: readonly string[] }>
  | { readonly type: "refused"; readonly failure: Failure }
  | { readonly type: "applied" }
  | Readonly<{ type: "compared"; place: number; entries: readonly VariableEntry[]; isEditable: boolean }>
  | { readonly type: "notCompared"; readonly place: number; readonly failure: Failure }
  | ({ readonly type: "otherRead"; readonly place: number } & Omit<Other, "isReading">)
  | ({ readonly type: "lookedUp" } & Elsewhere)
  | ({ readonly type: "listed" } & Listing)
  | Readonly<{ type: "exported"; place: number; file: NamedFile; outcome: Exported }>
  | { readonly type: "credentials"; readonly credentials: NewCredentials }
  | { readonly type: "placesAdded"; readonly places: readonly PlaceInfo[] };

export interface Reading {
  readonly now: number;
  /** The same array as before if nothing has changed. */
  readonly entries: readonly VariableEntry[];
  readonly asOf: number | undefined;
  readonly problem: string | undefined;
  readonly requests: number;
}

/** Work outside of the state. Its outcome comes back as a message. */
export type Effect =
  | Readonly<{ type: "load"; place: number; generation: number; known: readonly VariableEntry[] }>
  /** Without a `place`, of the open one. */
  | { readonly type: "decrypt"; readonly entry: VariableEntry; readonly place?: number }
  | Readonly<{ type: "copy"; place: number; entries: readonly VariableEntry[]; format: CopyFormat }>
  /** Opens a value in the person's own editor. */
  | { readonly type: "editValue"; readonly place: number; readonly entry: VariableEntry }
  /** The same for the text in a form. */
  | Readonly<{ type: "editText"; text: string; name: string; isJson: boolean }>
  | { readonly type: "prepare"; readonly place: number; readonly draft: Draft }
  /** Prepares an edit without a form. */
  | Readonly<{ type: "assign"; place: number; purpose: Purpose; assignments: readonly Assignment[] }>
  | { readonly type: "apply"; readonly place: number; readonly edit: Edit }
  | { readonly type: "compare"; readonly place: number }
  | Readonly<{ type: "readOther"; place: number; known: Other["entries"]; base: readonly VariableEntry[] }>
  | Readonly<{ type: "lookUp"; name: string; places: readonly number[] }>
  | { readonly type: "listFolder"; readonly folder: string }
  /** Prepares an edit from a file. */
  | { readonly type: "import"; readonly place: number; readonly file: NamedFile }
  | Readonly<{ type: "export"; place: number; file: NamedFile; isReplacing: boolean }>
  | { readonly type: "addEnvironment"; readonly place: number; readonly name: string }
  | { readonly type: "rotate"; readonly place: number; readonly grace: string }
  | { readonly type: "copyCredentials"; readonly credentials: NewCredentials }
  | { readonly type: "quit" }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" };

/** The outcome of a message: the next state, and work to do. */
export type Step = readonly [state: State, effects: readonly Effect[]];

export function step(state: State, ...effects: Effect[]): Step {
  return [state, effects];
}
