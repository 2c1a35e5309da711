import type { Entry } from "../ports.js";
import { type Changes, changesBetween, summarize } from "./changes.js";
import { loadEffect, openedAt } from "./initial-state.js";
import { isLasting } from "./is-reading.js";
import { tell } from "./notices.js";
import { relist } from "./relist.js";
import type { Failure, Loaded, State } from "./state.js";
import { type Step, step } from "./step.js";

/** How long a marked change stays marked. */
const MARK_MS = 60_000;

/** How often it is looked for changes: at most so often, and so long after each reading for each request that it took. */
interface Pace {
  readonly least: number;
  readonly perRequest: number;
}

/** A data file that is open here is only read again when it has changed. */
const LOCAL_PACE: Pace = { least: 1_000, perRequest: 0 };

/** Four requests a second are a thirtieth of a server's usual rate limit. */
const REMOTE_PACE: Pace = { least: 5_000, perRequest: 250 };

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Opens a place and reads it. */
export function openPlace(state: State, place: number): Step {
  const undoElsewhere = new Map(state.undoElsewhere).set(state.place, state.undo);
  const undo = undoElsewhere.get(place) ?? [];
  const opened = { ...state, ...openedAt(place, state.loaded.generation + 1), placeCursor: place, undo, undoElsewhere };
  const next = relist({ ...opened, list: { ...state.list, cursor: 0, top: 0 } });
  return step(next, loadEffect(next));
}

/** Reads the open place again, now. */
export function reload(state: State): Step {
  const { isComplete, generation } = state.loaded;
  const next = withLoaded(state, {
    generation: generation + 1,
    phase: isComplete ? "ready" : "loading",
    failure: undefined,
    nextAt: undefined,
  });
  return step(next, loadEffect(next));
}

/** Looks for changes when it is time to. */
export function loadWhenDue(state: State): Step {
  const { nextAt, phase, isComplete } = state.loaded;
  if (nextAt === undefined || state.now < nextAt) return step(state);
  // What is wrong stays on the screen until the next try tells.
  const next = withLoaded(state, { nextAt: undefined, phase: isComplete ? phase : "loading" });
  return step(next, loadEffect(next));
}

/** Some of the first reading has come. */
export function progressed(state: State, entries: readonly Entry[], total: number): State {
  return relist(withLoaded(state, { entries, total }), state);
}

/** All has been read. */
export function loaded(
  state: State,
  {
    entries,
    problem,
    requests,
    now,
  }: { entries: readonly Entry[]; problem: string | undefined; requests: number; now: number },
): State {
  const { isEditable, isComplete: wasComplete, entries: before } = state.loaded;
  const { least, perRequest } = isEditable ? LOCAL_PACE : REMOTE_PACE;
  const next = withLoaded(state, {
    phase: "ready",
    entries,
    total: entries.length,
    isComplete: true,
    asOf: now,
    failure: undefined,
    failures: 0,
    nextAt: now + Math.max(least, requests * perRequest),
    problem,
  });
  if (wasComplete && entries === before) return { ...next, now };
  const listed = relist({ ...next, now }, state);
  return wasComplete ? marked(listed, before) : listed;
}

export function failed(state: State, failure: Failure, now: number): State {
  const { isComplete, failures, rateLimit } = state.loaded;
  const backoff = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
  // A server that does not say when has a retryAfter of 0.
  const wait = failure.retryAfter ? Math.max(failure.retryAfter * 1_000, FIRST_RETRY_MS) : backoff;
  const next = withLoaded(state, {
    phase: isComplete ? "ready" : "failed",
    failure,
    failures: failures + 1,
    nextAt: isLasting(failure) ? undefined : now + wait,
    rateLimit: rateLimit && failure.code === "rate_limited" ? { ...rateLimit, remaining: 0 } : rateLimit,
  });
  return { ...next, now };
}

/** Marks what is another than before, and tells of it. */
function marked(state: State, before: readonly Entry[]): State {
  const changes = changesBetween(before, state.loaded.entries);
  const kinds = new Map(state.marks?.kinds);
  for (const name of changes.added) kinds.set(name, "added");
  for (const name of changes.changed) kinds.set(name, "changed");
  for (const name of changes.removed) kinds.delete(name);
  const told = summarize(changes);
  if (told === undefined) return state;
  const next = { ...state, marks: { kinds, until: state.now + MARK_MS } };
  // Whoever has just changed something was told so, and how to undo it.
  return isToldOf(changes, state.notice) ? next : tell(next, told);
}

function isToldOf({ added, changed, removed }: Changes, notice: State["notice"]): boolean {
  return notice?.tone === "success" && [...added, ...changed, ...removed].every((name) => notice.text.includes(name));
}

export function withLoaded(state: State, change: Partial<Loaded>): State {
  return { ...state, loaded: { ...state.loaded, ...change } };
}
