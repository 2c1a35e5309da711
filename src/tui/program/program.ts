import {
  initialState,
  leaveOthers,
  placesChanged,
  pollWhenDue,
  type Start,
} from "../reading/polling.js";
import { decryptions, expireRevealed } from "../reading/reveal.js";
import { withRange } from "../reading/selection.js";
import { openHelp } from "../screens/command-menus.js";
import { openWelcome } from "../screens/welcome.js";
import { areaOf, type Command, isListCommand, shownKey } from "../state/command.js";
import { andThen, outcomeOf, step } from "../state/effects.js";
import { isTooSmall } from "../state/layout.js";
import { OpenedPlaces } from "../state/opened-places.js";
import type { Place, PlacesChange } from "../state/ports.js";
import { withReading } from "../state/readings.js";
import {
  type Effect,
  type Next,
  notify,
  type State,
  type Step,
  type Tools,
} from "../state/state.js";
import { gridOf } from "../view/grid.js";
import { quitQuestion } from "../view/question.js";
import { isHelpKey, pressCommand, runCommand, topScreen } from "../view/screen.js";
import { commandKeyName, GLOBAL_KEYS, type Key, type Mouse } from "../widgets/key.js";
import { handleMouse, targetsOf } from "./mouse.js";

function handleKey(state: State, key: Key, commands: readonly Command[]): Step {
  if (isTooSmall(state) && key.name !== "ctrl-c") return step(state);
  const command =
    GLOBAL_KEYS.includes(key.name) && commands.find(({ keys }) => keys.includes(key.name));
  if (command) return runCommand(state, command);
  const open = topScreen(state);
  const isEnter = key.name === "ctrl-j" && !open?.screen.breaksLines?.(open.data);
  return handleCount(state, isEnter ? { name: "enter", text: "" } : key, commands);
}

const MAX_COUNT = 999_999;
const MAX_REPEATS = 999;

/** Collects a digit of the count before a key, or runs a key as many times as the count says. */
function handleCount(before: State, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  const { count = 0, notice } = before;
  const isFree = areaOf(before) !== undefined && !commands.some(({ keys }) => keys.includes(name));
  if (isFree && /^\d$/.test(name))
    return step({ ...before, count: Math.min(count * 10 + Number(name), MAX_COUNT) });
  // The next key dismisses an error, which hides the key hints.
  const read: State = notice?.tone === "error" ? { ...before, notice: undefined } : before;
  const state: State = read.count === undefined ? read : { ...read, count: undefined };
  const command = commands.find(({ keys, repeats }) => repeats && keys.includes(name));
  // `12G` goes to line 12, as in vi.
  if (count > 0 && (command?.name === "bottom" || command?.name === "top"))
    return runCommand(state, command, `line ${count}`);
  let last = screenKey(state, key, commands);
  for (let left = Math.min(count, MAX_REPEATS); command && left > 1; left--)
    last = screenKey(last[0], key, commands);
  return last;
}

function screenKey(state: State, key: Key, commands: readonly Command[]): Step {
  const open = topScreen(state);
  if (isHelpKey(state, key)) return openHelp(state);
  return open ? open.screen.key(state, open.data, key, commands) : listKey(state, key, commands);
}

/** Whether a key must wait for pending work, or is dropped because an editor has the terminal. */
function isHeld(state: State, key: string): boolean {
  return (
    state.pending !== undefined && quitQuestion(state) === undefined && !GLOBAL_KEYS.includes(key)
  );
}

/**
 * Whether to drop the keys typed after a command, because the command was refused, or led to a
 * problem or a question that the user has not seen yet.
 */
function isRefused(before: State, { notice, pending, stack }: State, isInput: boolean): boolean {
  const tone = notice === before.notice ? undefined : notice?.tone;
  if (!before.pending || pending === before.pending) return isInput && tone === "error";
  // The question is about a variable that was not on the screen when the keys were typed.
  if (pending) return before.pending.isReading === true;
  const { problem } = (stack.at(-1)?.data ?? {}) as { problem?: string };
  return problem !== undefined || tone === "error" || tone === "info";
}

/**
 * Runs after every change. Cancels reads whose results are no longer needed, updates the table from
 * the data, and decrypts revealed values.
 */
function withFollowUps(before: State, [changed, effects]: Step): Step {
  const isEntered =
    changed.stack.length > 0 && topScreen(changed)?.screen !== topScreen(before)?.screen;
  // An older notice would hide the keys of the new screen.
  const shown: State =
    isEntered && changed.notice === before.notice ? { ...changed, notice: undefined } : changed;
  const [state, more] = leaveOthers(before, syncTable(before, shown));
  return [state, [...effects, ...more, ...newDecryptions(before, state)]];
}

/**
 * Closes an open range when the rows change, and scrolls the record to its start when another
 * variable is selected.
 */
function syncTable(before: State, state: State): State {
  const [was, is] = [gridOf(before), gridOf(state)];
  const isOpen = state.marks.from !== undefined && was.rows !== is.rows;
  const marks = isOpen ? withRange(state.marks, was) : state.marks;
  const recordTop = was.name === is.name ? state.recordTop : 0;
  return marks === state.marks && recordTop === state.recordTop
    ? state
    : { ...state, marks, recordTop };
}

function newDecryptions(before: State, state: State): readonly Effect[] {
  const [was, is] = [gridOf(before), gridOf(state)];
  const isSame =
    was.name === is.name &&
    was.table === is.table &&
    before.revealed?.names === state.revealed?.names;
  return isSame
    ? []
    : is.table.columns.flatMap(({ place, cells }) => decryptions(state, place, cells[is.row]));
}

function listKey(state: State, key: Key, commands: readonly Command[]): Step {
  const name = commandKeyName(key);
  const other = commands.find((each) => each.keys.includes(name) && isListCommand(each));
  const refusal = `"${other?.name}" doesn't work here; ${shownKey(state, "back")} goes to the variables`;
  return (
    pressCommand(state, name, commands) ?? step(other ? notify(state, refusal, "error") : state)
  );
}

function expire(state: State): State {
  const isOver = (item: { until: number } | undefined) =>
    item !== undefined && item.until <= state.now;
  const over = [...state.readings].filter(([, { changes }]) => isOver(changes));
  const next = over.reduce(
    (now, [place]) => withReading(now, place, { changes: undefined }),
    state,
  );
  const notice = isOver(state.notice) ? undefined : state.notice;
  return { ...expireRevealed(next), notice };
}

export interface ProgramOptions
  extends Pick<
    Tools,
    | "copy"
    | "write"
    | "openInEditor"
    | "welcome"
    | "listFolder"
    | "ticks"
    | "quit"
    | "suspend"
    | "redraw"
  > {
  readonly places: readonly Place[];
  /** Calls `listener` when places may have been added or removed. */
  readonly follow?: ((listener: (change: PlacesChange) => void) => void) | undefined;
  readonly commands: readonly Command[];
  readonly start: Omit<Start, "places" | "now">;
  /** Runs a callback after pending input, like `setImmediate`. */
  readonly defer: (callback: () => void) => void;
}

/** A click sooner than this after a redraw was aimed at the previous screen. */
const AIM_MS = 300;

/** Keys typed after a refused key are dropped until a pause of this length. */
const TYPING_MS = 500;

/**
 * Creates the main loop. A key leads to a new state and to effects; each effect resolves to a
 * function that returns the next state.
 */
export function createProgram({
  places: all,
  follow,
  commands,
  start,
  defer,
  ...options
}: ProgramOptions) {
  const listeners = new Set<() => void>();
  const held: Key[] = [];
  let refusedAt = Number.NEGATIVE_INFINITY;
  let shown: State | undefined;
  let changedAt = 0;
  let editing: Promise<unknown> | undefined;
  const places = new OpenedPlaces(all, (place, rateLimit) => {
    dispatch((now) => step(withReading(now, place, { rateLimit })));
  });
  const openInEditor: Tools["openInEditor"] = (...text) => {
    const ended = options.openInEditor(...text);
    editing = ended.catch(() => {});
    return ended;
  };
  const tools: Tools = {
    ...{
      ...options,
      places,
      openInEditor,
      reads: new Map(),
      versions: new WeakMap(),
      asOf: new WeakMap(),
    },
    dispatch: (next) => dispatch(next),
    until: (isWanted) =>
      new Promise((resolve) => {
        const stop = subscribe(() => {
          if (!isWanted(state)) return;
          stop();
          resolve();
        });
      }),
  };
  let isPublished = true;
  const publish = () => {
    isPublished = true;
    for (const listener of listeners) listener();
  };
  /**
   * Calls `listener` once after any number of changes in a row. Returns a function to unsubscribe.
   */
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const run = async (effect: Effect) => {
    const next = await outcomeOf(effect, tools);
    if (next) dispatch(next);
  };
  const take = ([next, effects]: Step) => {
    if (next !== state && isPublished) {
      isPublished = false;
      defer(publish);
    }
    state = next;
    for (const each of effects) void run(each);
  };
  const dispatch = (next: Next, isInput = false) => {
    const before = state;
    take(withFollowUps(before, next(before)));
    if (isRefused(before, state, isInput)) {
      held.length = 0;
      if (state.pending || state.notice?.tone === "error") refusedAt = options.ticks();
    }
    // Keys typed before an editor takes the terminal are not meant for the screen that follows it.
    if (state.pending?.isEditing) held.length = 0;
    const first = state.pending === undefined ? held.shift() : undefined;
    if (first) dispatch((now) => press(now, first), true);
  };
  const press = (now: State, key: Key) => handleKey(now, key, commands);
  const isShown = (count?: number) => {
    const known = shown && targetsOf(shown);
    return targetsOf(state)
      .slice(0, count)
      .every((each, index) => each === known?.[index]);
  };
  const initial = andThen(initialState({ ...start, places: all, now: options.ticks() }), (now) =>
    options.welcome ? openWelcome(now, options.welcome) : step(now),
  );
  let state: State = initial[0];
  take(initial);
  follow?.((change) => {
    const gone = places.change(change);
    dispatch((now) => placesChanged(now, change.added, gone));
  });
  return {
    get state() {
      return state;
    },
    /**
     * Handles a key. Keys wait for pending work, such as preparing a question. Keys typed before an
     * editor opens are dropped.
     */
    press: (key: Key) => {
      // Keys typed earlier are not meant for the question whether to quit.
      if (key.name === "ctrl-c") held.length = 0;
      const at = options.ticks();
      if (at - refusedAt < TYPING_MS && !GLOBAL_KEYS.includes(key.name)) {
        if (key.text !== "") refusedAt = at;
      } else if (key.name === "escape" && state.pending?.isReading) {
        held.length = 0;
        dispatch((now) => step({ ...now, pending: undefined }));
      } else if (!isHeld(state, key.name)) dispatch((now) => press(now, key), true);
      else if (!state.pending?.isEditing) held.push(key);
    },
    /**
     * Handles a press or the wheel. They never wait, because they are aimed at the current screen.
     */
    mouse: (mouse: Mouse) => {
      if (isTooSmall(state) || isHeld(state, "")) return;
      const at = options.ticks();
      const isAimed = isShown() && at - changedAt >= AIM_MS;
      if (isShown(4))
        dispatch((now) => handleMouse(now, { ...mouse, at }, isAimed, commands, press), true);
    },
    /** Must be called when the state has been drawn. */
    shown: () => {
      if (!isShown()) changedAt = options.ticks();
      shown = state;
    },
    tick: () =>
      dispatch((before) => {
        const now = expire({ ...before, now: options.ticks() });
        return pollWhenDue(now, gridOf(now).table);
      }),
    resize: (size: { readonly columns: number; readonly rows: number }) =>
      dispatch((now) => step({ ...now, ...size })),
    subscribe,
    close: async () => {
      await editing;
      await places.close();
    },
  };
}
