import { isEncrypted } from "../../domain/variable.js";
import { isRevealed } from "./is-revealed.js";
import { selectedEntry } from "./selected-entry.js";
import type { State } from "./state.js";
import { type Step, step } from "./step.js";

/** How long one value, or all of them, are shown. */
export const REVEAL_MS = 30_000;
export const REVEAL_ALL_MS = 60_000;

/** Shows one value for a while, or masks it again. */
export function toggleRevealed(state: State, name: string): State {
  const { revealed, now } = state;
  const names = revealed?.names;
  if (names === "all") return { ...state, revealed: undefined };
  const shown = new Set(names);
  if (!shown.delete(name)) shown.add(name);
  if (shown.size === 0) return { ...state, revealed: undefined };
  return { ...state, revealed: { decrypted: new Map(), ...revealed, names: shown, until: now + REVEAL_MS } };
}

/** Shows all values for a while, or masks them all. */
export function toggleAllRevealed(state: State): State {
  const { revealed, now } = state;
  if (revealed?.names === "all") return { ...state, revealed: undefined };
  return { ...state, revealed: { decrypted: new Map(), ...revealed, names: "all", until: now + REVEAL_ALL_MS } };
}

/** Has the value under the cursor decrypted if it is to be shown and a client has encrypted it. */
export function decryptSelected(state: State): Step {
  const entry = selectedEntry(state);
  const { revealed } = state;
  const sealed = entry?.value?.content.value;
  if (!entry || !revealed || !isEncrypted(sealed)) return step(state);
  const isWanted = isRevealed(revealed, entry.variable.name) && !revealed.decrypted.has(sealed);
  return isWanted ? step(state, { type: "decrypt", entry }) : step(state);
}

/** @param sealed what a client had encrypted it to */
export function decrypted(state: State, sealed: string, text: string): State {
  const { revealed } = state;
  if (!revealed) return state;
  return { ...state, revealed: { ...revealed, decrypted: new Map(revealed.decrypted).set(sealed, text) } };
}
