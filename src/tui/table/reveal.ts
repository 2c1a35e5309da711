import type { JsonValue } from "../../kit/text/strict-json.js";
import type { VariableEntry } from "../../model/reads/variable-entries.js";
import {
  formatAs,
  isEnvelope,
  isPublic,
  isSealedText,
  isUnreadable,
  type ValueRules,
  valueText,
} from "../../model/variable.js";
import { memoized } from "../state/memoized.js";
import { readingOf } from "../state/readings.js";
import type { Effect, Revealed, State } from "../state/state.js";

/**
 * The text in place of a hidden value. Its length is fixed, since the length of
 * a secret is a hint, too.
 */
export const MASK = "••••••••";

/** Stands for all names. */
const ALL = Symbol("all");

/**
 * Whether the user has revealed this name. All code that draws secret values
 * must check this.
 */
export function isRevealed(revealed: Revealed | undefined, name: string | symbol = ALL): boolean {
  return revealed !== undefined && (revealed.names.has(ALL) || revealed.names.has(name));
}

/**
 * The rules for display, which make no value public with the setting `masked:
 * all`.
 */
export function displayRules<R extends ValueRules>({ preferences }: State, rules: R | undefined) {
  return rules && preferences.masked === "all" ? { ...rules, secret: undefined } : rules;
}

export type ShownValue =
  | { readonly kind: "shown"; readonly text: string }
  /**
   * `encrypted`: revealed, but encrypted by a client and not decrypted.
   * `sealed`: in a sealed file, without the key.
   */
  | { readonly kind: "masked" | "encrypted" | "sealed" | "none" | "loading" };

/** Cached, since formatting 1 MB of JSON takes 10 ms. */
const texts = memoized<VariableEntry, string>();

export function shownValue(entry: VariableEntry, state: State): ShownValue {
  const { revealed } = state;
  const { variable, value, rules } = entry;
  if (!value) return { kind: readingOf(state).isComplete ? "none" : "loading" };
  if (isSealedText(value.content.value)) return { kind: "sealed" };
  if (!isRevealed(revealed, variable.name) && !isPublic(displayRules(state, rules)))
    return { kind: "masked" };
  const { value: stored } = value.content;
  if (!isUnreadable(stored))
    return { kind: "shown", text: texts(entry, [], () => formatAs(stored, variable.type)) };
  const text = revealed?.decrypted.get(stored);
  return text === undefined ? { kind: "encrypted" } : { kind: "shown", text };
}

/**
 * The rule that a variable breaks: its value is missing, or does not match its
 * schema.
 */
export function findingOf(
  { readings }: State,
  entry: VariableEntry | undefined,
): string | undefined {
  if (!entry) return undefined;
  for (const { findings } of readings.values())
    if (findings?.has(entry)) return findings.get(entry);
  return undefined;
}

export const REVEAL_MS = 30_000;
const REVEAL_ALL_MS = 60_000;

export function toggleRevealed(state: State, name: string): State {
  const { revealed, time } = state;
  if (isRevealed(revealed)) return { ...state, revealed: undefined };
  const names = new Map(revealed?.names);
  if (!names.delete(name)) names.set(name, time + REVEAL_MS);
  return withRevealed(state, names);
}

export function toggleAllRevealed(state: State): State {
  const { revealed, time } = state;
  return withRevealed(state, new Map(isRevealed(revealed) ? [] : [[ALL, time + REVEAL_ALL_MS]]));
}

function withRevealed(state: State, names: Revealed["names"]): State {
  if (names.size === 0) return { ...state, revealed: undefined };
  const decrypted = state.revealed?.decrypted ?? new Map();
  return { ...state, revealed: { names, decrypted, until: Math.max(...names.values()) } };
}

export function expireRevealed(state: State): State {
  const { revealed, time } = state;
  const names = new Map([...(revealed?.names ?? [])].filter(([, end]) => end > time));
  return names.size === (revealed?.names.size ?? 0) ? state : withRevealed(state, names);
}

/** Decrypts a revealed value that a client has encrypted. */
export function decryptions(
  { revealed }: State,
  place: number,
  entry: VariableEntry | undefined,
): Effect[] {
  const envelope = entry?.value?.content.value;
  if (!entry || !isEnvelope(envelope) || !isRevealed(revealed, entry.variable.name)) return [];
  if (revealed?.decrypted.has(envelope)) return [];
  const decrypting: Effect = async ({ places }) => {
    const text = valueText((await places.open(place)).decrypt(entry.variable.name, envelope));
    return (now) => {
      const decrypted = new Map(now.revealed?.decrypted).set(envelope, text);
      return now.revealed ? { ...now, revealed: { ...now.revealed, decrypted } } : now;
    };
  };
  return [decrypting];
}

/**
 * Returns `undefined` for a string that is not JSON, which decrypted text can
 * be.
 */
export function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Formats JSON with one member per line, unless that would lose something, such
 * as digits of a number.
 */
export function indentedJson(text: string): string {
  const value = parsedJson(text);
  return value !== undefined && JSON.stringify(value) === text
    ? JSON.stringify(value, null, 2)
    : text;
}
