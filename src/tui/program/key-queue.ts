import { quitQuestion } from "../stack/question.js";
import type { State } from "../state/state.js";
import { GLOBAL_KEYS, type Key } from "../widgets/key.js";

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
