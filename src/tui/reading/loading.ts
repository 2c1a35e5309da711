import type { VariableEntry } from "../../domain/source.js";
import type { Failure, Loaded, Reading } from "../state/loaded.js";
import { toFailure } from "../state/opened-places.js";
import { healthOf, withHealth } from "../state/places.js";
import { type Next, notify, type Preferences, type State, type Step } from "../state/state.js";
import { andThen, step } from "../state/work.js";
import { refreshOthers } from "./others.js";
import { isSame, readOpen } from "./read-place.js";
import { decryptSelected } from "./reveal.js";
import { NO_MARKS, relist, selectedEntry } from "./selection.js";

const RECENT_MS = 60_000;

/** How long to wait before the next look for changes. A data file is only read again if it has changed. */
const LOCAL_PAUSE_MS = 1_000;
const REMOTE_PAUSE_MS = 5_000;
/** For each request of the last read: four a second are a thirtieth of a server's default rate limit. */
const REQUEST_PAUSE_MS = 250;

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

export interface Start extends Pick<State, "columns" | "rows" | "now" | "places" | "place"> {
  /** Index of a place to offer: the cursor is on it, and the list of places has the focus. */
  readonly offered?: number | undefined;
  readonly preferences?: Preferences;
}

/** @param start `place` is the index of the place to open */
export function initialState({ place, offered, preferences = {}, ...start }: Start): Step {
  const state: State = {
    ...start,
    preferences,
    ...openedAt(place, 1),
    placeCursor: offered ?? place,
    health: new Map(),
    list: { filter: "", type: undefined, sort: "id", isReversed: false, rows: [], cursor: 0, top: 0 },
    focus: offered === undefined ? "variables" : "places",
    stack: [],
    notice: undefined,
    undone: [],
  };
  return load(state, true);
}

/** The parts of the state that opening a place resets. */
function openedAt(place: number, generation: number) {
  const loaded: Loaded = { generation, entries: [], isComplete: false, total: 0, failures: 0, isEditable: false };
  const empty = {
    marks: NO_MARKS,
    revealed: undefined,
    recentChanges: undefined,
    others: new Map(),
    elsewhere: undefined,
  };
  return { place, placeCursor: place, loaded, recordTop: 0, ...empty };
}

/** Reads the open place. Its outcome is dropped if another read has begun. */
function load(state: State, isRequested: boolean): Step {
  const { place, loaded: before } = state;
  const { generation } = before;
  const known = before.isComplete ? before.entries : [];
  const current = (next: Next): Next => {
    return (now) => (now.loaded.generation === generation ? next(now) : step(now));
  };
  return step(state, async (tools) => {
    const { dispatch, ticks } = tools;
    try {
      const reading = await readOpen(tools, place, known, isRequested, {
        onOpened: ({ editor, identity }) => {
          dispatch(current((now) => identified(withLoaded(now, { isEditable: editor !== undefined }), identity)));
        },
        onProgress: (entries, total) => dispatch(current((now) => step(progressed(now, entries, total)))),
      });
      return reading && current((now) => andThen(refreshOthers(loaded(now, reading)), decryptSelected));
    } catch (error) {
      return current((now) => step(failed(now, toFailure(error), ticks())));
    }
  });
}

/** Sets the identity of a place, which some have only once they are open. A gone place listed anew is opened there. */
function identified(state: State, identity: string | undefined): Step {
  const open = state.places[state.place];
  if (!open || identity === undefined || open.identity === identity) return step(state);
  const listed = state.places.findIndex((each) => each.identity === identity && !each.isGone);
  if (open.isGone && listed >= 0) return openPlace(state, listed);
  return step({ ...state, places: state.places.with(state.place, { ...open, identity }) });
}

export function openPlace(state: State, place: number): Step {
  const health = healthOf(state, state.place);
  const left = health === "reading" ? state : withHealth(state, state.place, health);
  const opened = { ...left, ...openedAt(place, state.loaded.generation + 1) };
  // The same variable in another environment, as soon as it is read.
  const wanted = state.list.wanted ?? selectedEntry(state)?.variable.name;
  const next = relist({ ...opened, list: { ...state.list, rows: [], cursor: 0, top: 0, wanted } });
  return load(next, true);
}

export function reload(state: State): Step {
  const generation = state.loaded.generation + 1;
  const next = withLoaded(state, { generation, failure: undefined, nextAt: undefined });
  return load(next, true);
}

/** Looks for changes or tries again, once that is due. */
export function loadWhenDue(state: State): Step {
  const { nextAt } = state.loaded;
  if (nextAt === undefined || state.now < nextAt) return step(state);
  // A failure stays on the screen until the outcome of this read.
  const next = withLoaded(state, { nextAt: undefined });
  return load(next, false);
}

export function progressed(state: State, entries: readonly VariableEntry[], total: number): State {
  return relist(withLoaded(state, { entries, total }), state);
}

/** Handles a complete read: shows the changes, with a notice. */
export function loaded(state: State, { entries, asOf, problem, requests, now }: Reading): State {
  const { isEditable, isComplete: wasComplete, entries: before } = state.loaded;
  const { pollMs = isEditable ? LOCAL_PAUSE_MS : REMOTE_PAUSE_MS } = state.preferences;
  const pause = isEditable ? pollMs : Math.max(pollMs, requests * REQUEST_PAUSE_MS);
  const next = withLoaded(state, {
    entries,
    total: entries.length,
    isComplete: true,
    asOf,
    failure: undefined,
    failures: 0,
    nextAt: now + pause,
    problem,
  });
  if (wasComplete && entries === before) return { ...next, now };
  const timed = { ...next, now };
  // The filter may ask for changed variables.
  return relist(wasComplete ? withRecentChanges(timed, before) : timed, state);
}

/** Handles a failed read: schedules the next try unless it would only fail again. */
export function failed(state: State, reason: Failure, now: number): State {
  const { failures, rateLimit } = state.loaded;
  const failure = isLocal(state) && reason.code === "not_found" ? { ...reason, mayPass: true } : reason;
  const backoff = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
  // A server that doesn't say when has a retryAfter of 0.
  const pause = failure.mayPass ? LOCAL_PAUSE_MS : backoff;
  const wait = failure.retryAfter ? Math.max(failure.retryAfter * 1_000, FIRST_RETRY_MS) : pause;
  const next = withLoaded(state, {
    failure,
    failures: failures + 1,
    nextAt: isPermanent(failure) ? undefined : now + wait,
    rateLimit: rateLimit && failure.code === "rate_limited" ? { ...rateLimit, remaining: 0 } : rateLimit,
  });
  return { ...next, now };
}

/** Whether the same request would only fail again until a person has fixed something. */
function isPermanent({ code, mayPass = false }: Failure): boolean {
  return !mayPass && ["unauthorized", "usage", "not_found"].includes(code);
}

/** Whether looking for changes sends no request, as far as known. */
function isLocal({ places, place, loaded }: State): boolean {
  return loaded.isEditable || places[place]?.kind === "environment";
}

export function isReading({ nextAt, failure }: Pick<Loaded, "nextAt" | "failure">): boolean {
  return nextAt === undefined && !(failure && isPermanent(failure));
}

function withRecentChanges(state: State, before: readonly VariableEntry[]): State {
  const changes = changesBetween(before, state.loaded.entries);
  const summary = summarize(changes);
  if (summary === undefined) return state;
  const kinds = new Map(state.recentChanges?.kinds);
  for (const name of changes.added) kinds.set(name, "added");
  for (const name of changes.changed) kinds.set(name, "changed");
  for (const name of changes.removed) kinds.delete(name);
  const next = { ...state, recentChanges: { kinds, until: state.now + RECENT_MS } };
  // After an edit of our own, the notice about it and its undo stays.
  return isAnnounced(changes, state) ? next : notify(next, summary);
}

/** Whether the notice is about these changes. */
function isAnnounced({ added, changed, removed }: Changes, { notice }: State): boolean {
  return [...added, ...changed, ...removed].every((name) => notice?.about?.includes(name));
}

export function withLoaded(state: State, change: Partial<Loaded>): State {
  return { ...state, loaded: { ...state.loaded, ...change } };
}

type Changes = ReturnType<typeof changesBetween>;

export function changesBetween(before: readonly VariableEntry[], after: readonly VariableEntry[]) {
  const old = new Map(before.map((entry) => [entry.variable.name, entry]));
  const added: string[] = [];
  const changed: string[] = [];
  for (const entry of after) {
    const known = old.get(entry.variable.name);
    old.delete(entry.variable.name);
    if (!known) added.push(entry.variable.name);
    else if (!isSame(known, entry)) changed.push(entry.variable.name);
  }
  return { added, changed, removed: [...old.keys()] };
}

const MAX_NAMES = 3;

/** `changed: PORT, DEBUG; removed: 12 variables`; undefined if nothing has changed. */
export function summarize({ added, changed, removed }: Changes): string | undefined {
  const parts = Object.entries({ added, changed, removed }).flatMap(([kind, names]) => {
    if (names.length === 0) return [];
    return [`${kind}: ${names.length > MAX_NAMES ? `${names.length} variables` : names.join(", ")}`];
  });
  return parts.length === 0 ? undefined : parts.join("; ");
}
