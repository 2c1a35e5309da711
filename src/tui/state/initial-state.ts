import type { Effect } from "./effect.js";
import type { Loaded, PlaceInfo, State } from "./state.js";
import { type Step, step } from "./step.js";

export interface Start {
  readonly columns: number;
  readonly rows: number;
  /** Unix milliseconds. */
  readonly now: number;
  readonly places: readonly PlaceInfo[];
  /** Index of the place to open. */
  readonly place: number;
}

/** How it begins: with the place being read. */
export function initialState({ places, place, ...start }: Start): Step {
  const state: State = {
    ...start,
    places,
    ...openedAt(place, 1),
    placeCursor: place,
    list: { filter: "", type: undefined, sort: "id", rows: [], cursor: 0, top: 0 },
    focus: "variables",
    mode: { kind: "browse" },
    notice: undefined,
    undoElsewhere: new Map(),
  };
  return step(state, loadEffect(state));
}

/** What is new when another place is opened. */
export function openedAt(
  place: number,
  generation: number,
): Pick<State, "place" | "loaded" | "recordTop" | "revealed" | "marks" | "undo"> {
  const loaded: Loaded = {
    phase: "loading",
    generation,
    entries: [],
    isComplete: false,
    total: 0,
    asOf: undefined,
    failure: undefined,
    nextAt: undefined,
    failures: 0,
    problem: undefined,
    rateLimit: undefined,
    isEditable: false,
  };
  return { place, loaded, recordTop: 0, revealed: undefined, marks: undefined, undo: [] };
}

/** Reads the open place, again if it was read before. */
export function loadEffect({ place, loaded: { generation, entries, isComplete } }: State): Effect {
  return { type: "load", place, generation, known: isComplete ? entries : [] };
}
