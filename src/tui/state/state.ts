import type { VariableType } from "../../model/variable.js";
import type { Role } from "../text/theme.js";
import type { Press } from "../widgets/key.js";
import type { Position } from "../widgets/list.js";
import type { OpenedPlaces } from "./opened-places.js";
import type { PlaceInfo } from "./places.js";
import type * as ports from "./ports.js";
import type { Reading } from "./readings.js";

/** See `Screen` in `stack/screen.ts`. */
interface Layer {
  readonly screen: { readonly name: string };
  readonly data: unknown;
}

export const SORTS = ["id", "name", "type", "changed"] as const;
export type Sort = (typeof SORTS)[number];

/** The filter, order and cursor of a table. Its rows are derived. */
export interface View extends Position {
  /**
   * The variable under the cursor. The cursor moves to it once it is listed,
   * unless the user moves the cursor first.
   */
  readonly name: string;
  readonly filter: string;
  /**
   * Lists only one type, or variables whose values differ, are missing, or are
   * not equal everywhere.
   */
  readonly rowFilter: VariableType | "differing" | "missing" | "unequal" | undefined;
  readonly sort: Sort;
  readonly isReversed: boolean;
}

export const INITIAL_VIEW: View = {
  name: "",
  cursor: 0,
  top: 0,
  filter: "",
  rowFilter: undefined,
  sort: "id",
  isReversed: false,
};

/** The names marked for one action. */
export interface Marks {
  readonly names: ReadonlySet<string>;
  /** The line where an open range begins. The range ends at the cursor. */
  readonly from?: number | undefined;
}

export const NO_MARKS: Marks = { names: new Set() };

export interface Revealed {
  /** The revealed names, with the time when each is masked again. */
  readonly names: ReadonlyMap<string | symbol, number>;
  /** Decrypted strings by encrypted value. */
  readonly decrypted: ReadonlyMap<string, string>;
  /** The time when the last value is masked again. */
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
  /** What quitting now would lose. */
  readonly lost?: string;
  /** An editor has the terminal. Keys are dropped. */
  readonly isEditing?: boolean;
  /** A command waits for a place to be read. Esc cancels it. */
  readonly isReading?: boolean;
}

export const COLUMN_NAMES = ["name", "type", "value", "description"] as const;
export type ColumnName = (typeof COLUMN_NAMES)[number];

/** A column without a width fits its content if there is room. */
export interface ColumnChoice {
  readonly name: ColumnName;
  readonly width?: number | undefined;
}

export interface Preferences {
  readonly columns?: readonly ColumnChoice[] | undefined;
  /**
   * Default: `secret`, which masks the values of variables that are not public.
   */
  readonly masked?: "secret" | "all" | undefined;
  /** Milliseconds between checks for changes. */
  readonly pollMs?: number | undefined;
}

/** Everything that the screen shows. Immutable. */
export interface State {
  /** All commands, with the keys that the user chose. */
  readonly commands: readonly Command[];
  readonly preferences: Preferences;
  readonly columns: number;
  readonly rows: number;
  /**
   * The time of the last tick or read, in milliseconds on a monotonic clock.
   */
  readonly time: number;
  readonly places: readonly PlaceInfo[];
  readonly place: number;
  /** The place under the cursor in the left panel. */
  readonly placeCursor: number;
  readonly readings: ReadonlyMap<number, Reading>;
  readonly list: View;
  readonly marks: Marks;
  readonly focus: PanelName;
  /** The first visible line of the record, or of the detail in a comparison. */
  readonly recordTop: number;
  /** The screens over the list, top one last. */
  readonly stack: readonly Layer[];
  readonly revealed: Revealed | undefined;
  readonly notice: Notice | undefined;
  /** The number typed before a movement key. */
  readonly count?: number | undefined;
  readonly lastPress?: Press | undefined;
  /** Work that keys wait for. */
  readonly pending?: Pending | undefined;
  /** The effects to run next. */
  readonly effects: readonly Effect[];
}

export type Start = Pick<
  State,
  "commands" | "preferences" | "columns" | "rows" | "time" | "places" | "place"
>;

export function initialState(start: Start): State {
  return {
    ...start,
    placeCursor: start.place,
    readings: new Map(),
    list: INITIAL_VIEW,
    marks: NO_MARKS,
    focus: "variables",
    recordTop: 0,
    stack: [],
    revealed: undefined,
    notice: undefined,
    effects: [],
  };
}

/** The time to read one character. */
const READING_MS = 60;

/**
 * Shows a notice, unless one with a higher rank is shown. The text must not
 * contain a value.
 */
export function notify(state: State, text: string, tone: Notice["tone"] = "info"): State {
  if (state.notice && RANKS[state.notice.tone] > RANKS[tone]) return state;
  const duration = Math.max(tone === "error" ? 10_000 : 5_000, text.length * READING_MS);
  return { ...state, notice: { text, tone, until: state.time + duration } };
}

export interface Tools {
  readonly places: OpenedPlaces;
  readonly copy: ports.Copy;
  readonly write: ports.WriteValues;
  readonly openInEditor: ports.OpenInEditor;
  /** `undefined` if something is configured. */
  readonly welcome?: ports.WelcomeActions | undefined;
  /**
   * Lists the names in a folder, with a slash after folders. Resolves to none
   * if it can't be read.
   */
  readonly listFolder: (folder: string) => Promise<readonly string[]>;
  /** Milliseconds on a monotonic clock. */
  readonly ticks: () => number;
  readonly quit: () => void;
  readonly suspend: () => void;
  readonly redraw: () => void;
  /** Changes the state while the effect is still running. */
  readonly dispatch: (next: Next) => void;
  /** Resolves once `isWanted` returns true for the state. */
  readonly until: (isWanted: (state: State) => boolean) => Promise<void>;
  /** The controllers of reads in progress, by the index of the place. */
  readonly reads: Map<number, AbortController>;
}

/**
 * Computes the next state from the current one, for example when an effect has
 * ended.
 */
export type Next = (state: State) => State;

/**
 * Resolves to a function that returns the next state. An error becomes a
 * notice.
 */
export type Effect = (tools: Tools) => Promise<Next | undefined>;

/** The groups in the order in which the help shows them. */
export const COMMAND_GROUPS = ["Find", "Values", "Edit", "Move", "Other"] as const;

/**
 * The areas that have commands: the panels of the list, the matrix and
 * comparisons.
 */
export const AREAS = [...PANELS, "matrix", "diff"] as const;
export type Area = (typeof AREAS)[number];

export interface Choice {
  readonly label: string;
  readonly role?: Role;
  readonly help?: string | undefined;
  /** The heading under which it is listed. */
  readonly group?: string | undefined;
  readonly run: Next;
}

/** Why a command can't run before the place is read. It then runs. */
export const STILL_READING = "still reading";

/**
 * A command that runs by a key or as `:name`. The footer, the help and `:` are
 * made from it.
 */
export interface Command {
  readonly name: string;
  /** Names of keys. The footer shows the first one. */
  readonly keys: readonly string[];
  /**
   * The initial of each area where its keys work, in upper case if the footer
   * shows it there: `vrMD` acts on variables and the record, and in the matrix
   * and comparisons with a hint. A command of one list panel can be run by name
   * in all of them.
   */
  readonly where: string;
  /** The word in the footer, or `undefined` to hide it now. Default: the name. */
  readonly label?: string | ((state: State) => string | undefined);
  readonly help: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** The argument after `:name`, such as `<place>`. */
  readonly argument?: string;
  /**
   * The values of the argument. Default: any text.
   *
   * @param typed the argument typed so far
   */
  readonly choices?: (state: State, typed: string) => readonly Choice[];
  /** Whether a number before the key repeats it. */
  readonly repeats?: true;
  /** Returns why the command can't run now, or `undefined` if it can. */
  readonly whyNot?: (state: State) => string | undefined;
  /**
   * `undefined` if only screens handle the command.
   *
   * @param argument the text after the name if there are no choices, `""` for a
   *   key
   */
  readonly run?: ((state: State, argument: string) => State) | undefined;
}
