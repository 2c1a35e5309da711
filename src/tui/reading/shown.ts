import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, isPublic, textAs, type ValueRules } from "../../domain/variable.js";
import { readingOf } from "../state/reading.js";
import type { Revealed, State } from "../state/state.js";

/** Replaces every hidden value. Always of one length, since the length of a secret is a hint too. */
export const MASK = "••••••••";

/** Whether someone has revealed the value of this name. Everything that draws secret values asks this. */
export function isRevealed(revealed: Revealed | undefined, name: string): boolean {
  return revealed !== undefined && (revealed.names === "all" || revealed.names.has(name));
}

/** Rules as far as they unmask a value: with the setting `masked: all` they don't. */
export function unmasking<R extends ValueRules>({ preferences }: Pick<State, "preferences">, rules: R | undefined) {
  return rules && preferences.masked === "all" ? { ...rules, secret: undefined } : rules;
}

export type ShownValue =
  | { readonly kind: "shown"; readonly text: string }
  | { readonly kind: "masked" }
  /** Revealed, but encrypted by a client and not decrypted. */
  | { readonly kind: "encrypted" }
  | { readonly kind: "none" }
  | { readonly kind: "loading" };

export function shownValue({ variable, value, rules }: VariableEntry, state: State): ShownValue {
  const { revealed } = state;
  if (!value) return { kind: readingOf(state).isComplete ? "none" : "loading" };
  if (!isRevealed(revealed, variable.name) && !isPublic(unmasking(state, rules))) return { kind: "masked" };
  if (!isEncrypted(value.content.value)) return { kind: "shown", text: textAs(value.content.value, variable.type) };
  const text = revealed?.decrypted.get(value.content.value);
  return text === undefined ? { kind: "encrypted" } : { kind: "shown", text };
}

/** What a rule of the variable forbids here: it has no value, or one that breaks its schema. */
export function problemOf({ readings }: State, entry: VariableEntry | undefined): string | undefined {
  if (!entry) return undefined;
  for (const { findings } of readings.values()) if (findings?.has(entry)) return findings.get(entry);
  return undefined;
}
