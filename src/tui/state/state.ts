import type { VariableEntry } from "../../model/source.js";
import type { VariableType } from "../../model/variable.js";
import type { Press } from "../widgets/key.js";
import type { Position } from "../widgets/list.js";
import type { OpenedPlaces } from "./opened-places.js";
import type * as ports from "./ports.js";
import type { PlaceInfo, Reading } from "./reading.js";

/** A screen over the list, with its data. `view/screen.ts` says what a screen does. */
interface Layer {
  readonly screen: { readonly name: string };
  readonly data: unknown;
}

/** Changes to variables of one environment, and the index of its place. */
export interface Part extends ports.EnvironmentChanges {
  readonly place: number;
}

/**
 * One reviewed change, to several places if it has several parts. Those in one file or store are
 * written together.
 */
export interface PlannedEdit {
  readonly purpose: ports.Purpose;
  readonly parts: readonly Part[];
  /** The names of variables that need no change. */
  readonly unchanged?: readonly string[];
  /** The names of the places that values are copied from, where the screen does not tell. */
  readonly from?: string | undefined;
  /** The entry of the history that is undone, redone or rolled back. */
  readonly entry?: ports.HistoryEntry | undefined;
}

export const SORTS = ["id", "name", "type", "changed"] as const;
export type Sort = (typeof SORTS)[number];

/** The filter, order and cursor of a table. Its rows are derived. */
export interface View extends Position {
  /**
   * The variable under the cursor. The cursor goes to it as soon as it is listed, unless it is
   * moved before.
   */
  readonly name: string;
  readonly filter: string;
  /**
   * Only the variables of a type, with values that differ, that are missing, or that are not equal
   * everywhere.
   */
  readonly only: VariableType | "differing" | "missing" | "unequal" | undefined;
  readonly sort: Sort;
  readonly isReversed: boolean;
}

export const INITIAL_VIEW: View = {
  ...{ name: "", cursor: 0, top: 0 },
  ...{ filter: "", only: undefined, sort: "id", isReversed: false },
};

/** The variables that are marked for one action on all of them, in whichever place. */
export interface Marks {
  readonly names: ReadonlySet<string>;
  /** The line of the table where a range begins; it ends at the cursor, until it is kept. */
  readonly from?: number | undefined;
}

export interface Revealed {
  /** With the time when each is masked again. */
  readonly names: ReadonlyMap<string, number> | "all";
  /** Decrypted text by the encrypted value. */
  readonly decrypted: ReadonlyMap<string, string>;
  /** When the last of them is masked again. */
  readonly until: number;
}

const RANKS = { news: 0, info: 1, success: 1, error: 2 };

export interface Notice {
  readonly text: string;
  /** `news` reports changes by other programs. */
  readonly tone: keyof typeof RANKS;
  readonly until: number;
}

export const PANELS = ["places", "variables", "record"] as const;
export type PanelName = (typeof PANELS)[number];

interface Pending {
  /** What is lost if the program ends before. */
  readonly lost?: string;
  /** Whether an editor has the terminal: keys are dropped. */
  readonly isEditing?: boolean;
  /** Whether a command waits for a place to be read: Esc cancels it. */
  readonly isReading?: boolean;
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
  /** What is known of the variables of places, by their index. */
  readonly readings: ReadonlyMap<number, Reading>;
  readonly list: View;
  readonly marks: Marks;
  readonly focus: PanelName;
  /**
   * First visible line of the record, or of what is below the list of a comparison. Of another
   * variable it is the first.
   */
  readonly recordTop: number;
  /** What is open over the list, the top screen last. */
  readonly stack: readonly Layer[];
  readonly revealed: Revealed | undefined;
  readonly notice: Notice | undefined;
  /** The number before a key that moves. */
  readonly count?: number | undefined;
  readonly lastPress?: Press | undefined;
  /** Work that keys wait for. */
  readonly pending?: Pending | undefined;
}

/** Time to read one character. */
const READING_MS = 60;

/**
 * Shows a notice, which must not contain a value, unless one of a higher rank is shown. A long one
 * is shown longer.
 */
export function notify(state: State, text: string, tone: Notice["tone"] = "info"): State {
  if (state.notice && RANKS[state.notice.tone] > RANKS[tone]) return state;
  const duration = Math.max(tone === "error" ? 10_000 : 5_000, text.length * READING_MS);
  return { ...state, notice: { text, tone, until: state.now + duration } };
}

export const COLUMN_NAMES = ["name", "type", "value", "description"] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

/**
 * A column of the list of variables; without a width it fits its content, as far as there is room.
 */
export interface ColumnChoice {
  readonly name: ColumnName;
  readonly width?: number | undefined;
}

/** The user's settings. */
export interface Preferences {
  readonly columns?: readonly ColumnChoice[] | undefined;
  /** Which values are masked, by default those of variables that are not public. */
  readonly masked?: "secret" | "all" | undefined;
  /** Milliseconds between checks for changes. */
  readonly pollMs?: number | undefined;
  /** The key of each command that has one, as `keysByName` gives them. */
  readonly keys?: ReadonlyMap<string, string> | undefined;
}

/** What effects can use. */
export interface Tools {
  readonly places: OpenedPlaces;
  readonly copy: ports.Copy;
  readonly write: ports.WriteValues;
  readonly openInEditor: ports.OpenInEditor;
  /** Undefined where something is configured. */
  readonly welcome?: ports.WelcomeActions | undefined;
  /** The names in a folder, with a slash after those of folders; none if it can't be read. */
  readonly listFolder: (folder: string) => Promise<readonly string[]>;
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
  readonly quit: () => void;
  readonly suspend: () => void;
  /** Writes the whole screen again. */
  readonly redraw: () => void;
  /** Changes the state before the effect has ended. */
  readonly dispatch: (next: Next) => void;
  /** Resolves once the state is as wanted. */
  readonly until: (isWanted: (state: State) => boolean) => Promise<void>;
  /** Abort the reads that are in progress, by the index of the place. */
  readonly reads: Map<number, AbortController>;
  /** The version of the source that entries were read from. */
  readonly versions: WeakMap<readonly VariableEntry[], object>;
  /** When a version, or else a source, was last known to be up to date. */
  readonly asOf: WeakMap<object, number>;
}

/** The next state, and effects outside of it. */
export type Step = readonly [state: State, effects: readonly Effect[]];

/** A change of the state at the time when an effect has ended. */
export type Next = (state: State) => Step;

/** Resolves to a function to the next state; an error becomes a notice. */
export type Effect = (tools: Tools) => Promise<Next | undefined>;

/**
 * Memoizes one result for each key, as long as all of `on` is the same. A result lives as long as
 * its key.
 */
export function remembered<K extends WeakKey, T>() {
  const known = new WeakMap<K, { readonly on: readonly unknown[]; readonly made: T }>();
  return (key: K, on: readonly unknown[], make: () => T): T => {
    const last = known.get(key);
    if (last?.on.length === on.length && last.on.every((each, index) => each === on[index]))
      return last.made;
    const made = make();
    known.set(key, { on, made });
    return made;
  };
}
