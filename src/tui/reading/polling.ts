import { isDeepStrictEqual } from "node:util";
import { effectOnly, withEffects } from "../state/effects.js";
import { groupOf, type PlaceInfo } from "../state/places.js";
import type { OpenPlace } from "../state/ports.js";
import { type Failure, readingOf, toFailure, withReading } from "../state/readings.js";
import { type Effect, notify, type State } from "../state/state.js";
import { selectedEntry } from "../table/selection.js";
import type { Table } from "../table/table.js";
import {
  checking,
  diffEntries,
  lookUpChanges,
  summarize,
  withChanges,
  withLastChanges,
} from "./changes.js";
import { type PlaceRead, readPlace } from "./read-place.js";

/**
 * The pause before a poll. Polling a data file reads it only if it has changed.
 */
const LOCAL_PAUSE_MS = 1_000;
const REMOTE_PAUSE_MS = 5_000;
/**
 * The pause for each request of the last read: four a second use a thirtieth of
 * a server's default rate limit.
 */
const REQUEST_PAUSE_MS = 250;

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

export function openPlace(state: State, place: number): State {
  // Select the same variable in the new place, as soon as it is read.
  const name = state.list.name || (selectedEntry(state)?.variable.name ?? "");
  const list = { ...state.list, cursor: 0, top: 0, name };
  const opened = { ...state, place, placeCursor: place, revealed: undefined, recordTop: 0, list };
  return read(withLastChanges(opened, list.sort), place);
}

export function requestReads(state: State, places: readonly number[]): State {
  return places.reduce(read, state);
}

/**
 * Reads places again, except those being read: holding down a key must not send
 * one request after another.
 */
export function refresh(state: State, places: readonly number[]): State {
  return requestReads(
    state,
    places.filter((place) => !readingOf(state, place).isReading),
  );
}

/** Polls the open place, and the servers in a table, when due. */
export function pollWhenDue(state: State, { columns }: Table): State {
  const due = [...new Set([state.place, ...columns.map(({ place }) => place)])].filter((place) => {
    const { nextAt, isLocal } = readingOf(state, place);
    // Other local places are polled with the open one.
    return nextAt !== undefined && nextAt <= state.time && (place === state.place || !isLocal);
  });
  return due.reduce(poll, state);
}

/**
 * Polls the other local places, and reads the other environments of the
 * application.
 */
export function refreshOthers(state: State): State {
  const own = groupOf(state).filter((place) => state.places[place]?.kind === "environment");
  const local = [...state.readings].flatMap(([place, { isLocal }]) => (isLocal ? [place] : []));
  const others = [...new Set([...own, ...local])].filter((place) => place !== state.place);
  return others.reduce(poll, state);
}

function read(state: State, place: number): State {
  const asked = withReading(state, place, {
    isReading: true,
    failure: undefined,
    nextAt: undefined,
  });
  return withEffects(asked, readEffect(asked, place, false));
}

/**
 * Checks a place for changes. A failure stays on the screen until the result
 * arrives.
 */
function poll(state: State, place: number): State {
  const { isComplete, isLocal } = readingOf(state, place);
  // Polls of other local places must not change the screen.
  if (place !== state.place && isComplete && isLocal)
    return withEffects(state, readEffect(state, place, true));
  const next = withReading(state, place, { isReading: !isComplete, nextAt: undefined });
  return withEffects(next, readEffect(next, place, true));
}

/** @param isPoll whether to do nothing if a read is in progress */
function readEffect(state: State, place: number, isPoll: boolean): Effect {
  const { isComplete, entries } = readingOf(state, place);
  return async (tools) => {
    const { dispatch, ticks } = tools;
    if (isPoll && tools.reads.has(place)) return undefined;
    try {
      const outcome = await readPlace(
        tools,
        place,
        isComplete ? entries : [],
        (opened) => dispatch((now) => placeOpened(now, place, opened)),
        (entries, total) => dispatch((now) => withReading(now, place, { entries, total })),
      );
      if (!outcome) return undefined;
      return (now) => {
        const isNew =
          readingOf(now, place).entries !== outcome.entries || !readingOf(now, place).isComplete;
        const isSorted = readingOf(now, place).lastChanges !== undefined;
        const followUps = isNew
          ? [checking(place, outcome.entries), ...(isSorted ? [lookUpChanges(place)] : [])]
          : [];
        const next = withEffects(succeeded(now, place, outcome), ...followUps);
        return place === now.place ? refreshOthers(next) : next;
      };
    } catch (error) {
      return (now) => failed(now, place, toFailure(error), ticks());
    }
  };
}

/**
 * Stores the facts of an open place. If the place is gone but listed again
 * under another index, opens it there.
 */
function placeOpened(before: State, index: number, { editor, version, facts }: OpenPlace): State {
  const reading = readingOf(before, index);
  const [isEditable, isLocal] = [editor !== undefined, version !== undefined];
  const isSame = reading.isEditable === isEditable && reading.isLocal === isLocal;
  const state = isSame ? before : withReading(before, index, { isEditable, isLocal });
  const place = state.places[index];
  if (!place || isDeepStrictEqual(place, { ...place, ...facts })) return state;
  const listed = state.places.findIndex(
    (each) => each.identity === facts?.identity && !each.isGone,
  );
  if (index === state.place && place.isGone && listed >= 0) return openPlace(state, listed);
  return { ...state, places: state.places.with(index, { ...place, ...facts }) };
}

/**
 * Handles a complete read: marks all changes, and reports changes in the open
 * place.
 */
function succeeded(state: State, place: number, { requests, time, ...outcome }: PlaceRead): State {
  const before = readingOf(state, place);
  const { entries } = outcome;
  const isSame = before.isComplete && before.entries === entries;
  const isQuiet = place !== state.place && isSame && !before.failure && !before.isReading;
  if (isQuiet && before.problem === outcome.problem && before.isLocal) return state;
  const { pollMs = before.isLocal ? LOCAL_PAUSE_MS : REMOTE_PAUSE_MS } = state.preferences;
  const pause = before.isLocal ? pollMs : Math.max(pollMs, requests * REQUEST_PAUSE_MS);
  const changes = before.isComplete && !isSame ? diffEntries(before.entries, entries) : undefined;
  const read = { ...outcome, total: entries.length, isComplete: true, isReading: false };
  const next = withReading({ ...state, time }, place, {
    ...read,
    failure: undefined,
    failures: 0,
    nextAt: time + pause,
    ...(changes && changes.size > 0 && { changes: withChanges(before.changes, changes, time) }),
  });
  return place === state.place && changes ? notify(next, summarize(changes), "news") : next;
}

/**
 * Handles a failed read: schedules a retry, unless it would only fail again.
 */
function failed(state: State, place: number, reason: Failure, time: number): State {
  const { failures, rateLimit, isLocal, failure: before } = readingOf(state, place);
  const isFromFile = isLocal || state.places[place]?.kind === "environment";
  const failure = isFromFile && reason.code === "not_found" ? { ...reason, mayPass: true } : reason;
  if (place !== state.place && isFromFile && before?.message === failure.message) return state;
  const backoff = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
  // `retryAfter` is 0 if the server does not say when to retry.
  const pause = failure.mayPass ? LOCAL_PAUSE_MS : backoff;
  const wait = failure.retryAfter ? Math.max(failure.retryAfter * 1_000, FIRST_RETRY_MS) : pause;
  return withReading({ ...state, time }, place, {
    failure,
    failures: failures + 1,
    isReading: false,
    isLocal: isFromFile,
    nextAt: isPermanent(failure) ? undefined : time + wait,
    rateLimit:
      rateLimit && failure.code === "rate_limited" ? { ...rateLimit, remaining: 0 } : rateLimit,
  });
}

/** Whether the same request would fail again until a user fixes something. */
function isPermanent({ code, mayPass = false }: Failure): boolean {
  return !mayPass && ["unauthorized", "usage", "not_found"].includes(code);
}

/** Adds and hides places, and reads new environments of the application. */
export function placesChanged(
  before: State,
  added: readonly PlaceInfo[],
  gone: readonly number[],
): State {
  const places = [...before.places, ...added].map((place, index): PlaceInfo => {
    return gone.includes(index) === (place.isGone ?? false)
      ? place
      : { ...place, isGone: gone.includes(index) };
  });
  // A place that comes back may have other data.
  const isKept = (index: number) => index === before.place || !gone.includes(index);
  const readings = new Map([...before.readings].filter(([index]) => isKept(index)));
  const placeCursor = gone.includes(before.placeCursor) ? before.place : before.placeCursor;
  return refreshOthers({ ...before, places, readings, placeCursor });
}

/**
 * Stops reading servers after the user has opened another place or returned to
 * the list.
 */
export function leaveOthers(before: State, state: State): State {
  const isLeft =
    state.place !== before.place || (state.stack.length === 0 && before.stack.length > 0);
  if (!isLeft) return state;
  const left = [...state.readings].flatMap(([place, { isReading, isLocal }]) => {
    return place !== state.place && isReading && !isLocal ? [place] : [];
  });
  const next = left.reduce(
    (now, place) => withReading(now, place, { isReading: false, nextAt: now.time }),
    state,
  );
  return effectOnly(next, ({ reads }) => {
    for (const place of left) {
      reads.get(place)?.abort();
      reads.delete(place);
    }
  });
}
