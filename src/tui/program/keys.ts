import { openHelp } from "../screens/command-menus.js";
import { quitQuestion } from "../stack/question.js";
import { fixedHelpKey, pressCommand, runCommand, topScreen } from "../stack/screen.js";
import { areaOf, isListCommand, shownKey } from "../state/command.js";
import { isTooSmall } from "../state/layout.js";
import { notify, type State } from "../state/state.js";
import { commandKeyName, GLOBAL_KEYS, type Key } from "../widgets/key.js";

/**
 * Runs a global command, or hands the key to the top screen, or else to the
 * list.
 */
export function handleKey(state: State, key: Key): State {
  if (isTooSmall(state) && key.name !== "ctrl-c") return state;
  const command =
    GLOBAL_KEYS.includes(key.name) && state.commands.find(({ keys }) => keys.includes(key.name));
  if (command) return runCommand(state, command);
  const open = topScreen(state);
  const isEnter = key.name === "ctrl-j" && !open?.screen.breaksLines?.(open.data);
  return handleCount(state, isEnter ? { name: "enter", text: "" } : key);
}

const MAX_COUNT = 999_999;
const MAX_REPEATS = 999;

/**
 * Collects a digit of the count before a key, or runs a key as many times as
 * the count says.
 */
function handleCount(before: State, key: Key): State {
  const name = commandKeyName(key);
  const { count = 0, notice, commands } = before;
  const isFree = areaOf(before) !== undefined && !commands.some(({ keys }) => keys.includes(name));
  if (isFree && /^\d$/.test(name))
    return { ...before, count: Math.min(count * 10 + Number(name), MAX_COUNT) };
  // The next key dismisses an error, which hides the key hints.
  const read: State = notice?.tone === "error" ? { ...before, notice: undefined } : before;
  const state: State = read.count === undefined ? read : { ...read, count: undefined };
  const command = commands.find(({ keys, repeats }) => repeats && keys.includes(name));
  // `12G` goes to line 12, as in vi.
  if (count > 0 && (command?.name === "bottom" || command?.name === "top"))
    return runCommand(state, command, `line ${count}`);
  let last = screenKey(state, key);
  for (let left = Math.min(count, MAX_REPEATS); command && left > 1; left--)
    last = screenKey(last, key);
  return last;
}

function screenKey(state: State, key: Key): State {
  const open = topScreen(state);
  const help = fixedHelpKey(state);
  if (help !== undefined && ["f1", help].includes(key.name)) return openHelp(state);
  if (!open) return listKey(state, key);
  const next = open.screen.key?.(state, open.data, key);
  return next ?? pressCommand(state, commandKeyName(key)) ?? state;
}

function listKey(state: State, key: Key): State {
  const name = commandKeyName(key);
  const other = state.commands.find((each) => each.keys.includes(name) && isListCommand(each));
  const refusal = `"${other?.name}" doesn't work here; ${shownKey(state, "back")} goes to the variables`;
  return pressCommand(state, name) ?? (other ? notify(state, refusal, "error") : state);
}

/** Keys typed after a refused key are dropped until a pause of this length. */
const TYPING_MS = 500;

/** The keys that wait for pending work, such as preparing a question. */
export class KeyQueue {
  readonly #ticks: () => number;
  readonly #keys: Key[] = [];
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(ticks: () => number) {
    this.#ticks = ticks;
  }

  add(key: Key): void {
    this.#keys.push(key);
  }

  clear(): void {
    this.#keys.length = 0;
  }

  /** Removes and returns the next key, if no work is pending. */
  next({ pending }: State): Key | undefined {
    return pending === undefined ? this.#keys.shift() : undefined;
  }

  /**
   * Whether to drop a key that was typed before the user could see a refusal.
   */
  drops({ name, text }: Key): boolean {
    const now = this.#ticks();
    if (GLOBAL_KEYS.includes(name) || now - this.#refusedAt >= TYPING_MS) return false;
    if (text !== "") this.#refusedAt = now;
    return true;
  }

  /** Drops keys that are not meant for the screen after a step. */
  update(before: State, state: State, isInput: boolean): void {
    if (isRefused(before, state, isInput)) {
      this.clear();
      if (state.pending || state.notice?.tone === "error") this.#refusedAt = this.#ticks();
    }
    // Keys typed before an editor takes the terminal are not meant for the
    // screen that follows.
    if (state.pending?.isEditing) this.clear();
  }
}

/**
 * Whether a key must wait for pending work, or is dropped because an editor has
 * the terminal.
 */
export function mustWait(state: State, key = ""): boolean {
  return (
    state.pending !== undefined && quitQuestion(state) === undefined && !GLOBAL_KEYS.includes(key)
  );
}

/**
 * Whether a command was refused, or led to a problem or a question that the
 * user has not seen yet.
 */
function isRefused(before: State, { notice, pending, stack }: State, isInput: boolean): boolean {
  const tone = notice === before.notice ? undefined : notice?.tone;
  if (!before.pending || pending === before.pending) return isInput && tone === "error";
  // The question is about a variable that was not on the screen when the keys
  // were typed.
  if (pending) return before.pending.isReading === true;
  const { problem } = (stack.at(-1)?.data ?? {}) as { problem?: string };
  return problem !== undefined || tone === "error" || tone === "info";
}
