import type { VariableEntry } from "../../domain/source.js";
import { isEncrypted, valueText } from "../../domain/variable.js";
import type { State, Work } from "../state/state.js";
import { step } from "../state/work.js";
import type { Listed } from "./selection.js";
import { isRevealed } from "./shown.js";

export const REVEAL_MS = 30_000;
const REVEAL_ALL_MS = 60_000;

/** Reveals one value for 30 seconds, or masks it again. */
export function toggleRevealed(state: State, name: string): State {
  const { revealed, now } = state;
  if (revealed?.names === "all") return { ...state, revealed: undefined };
  if (revealed?.names.has(name)) return masked(state, [name]);
  const ends = new Map(revealed?.ends).set(name, now + REVEAL_MS);
  const names = new Set(revealed?.names).add(name);
  return { ...state, revealed: { decrypted: new Map(), ...revealed, names, ends, until: now + REVEAL_MS } };
}

export function toggleAllRevealed(state: State): State {
  const { revealed, now } = state;
  if (revealed?.names === "all") return { ...state, revealed: undefined };
  const decrypted = revealed?.decrypted ?? new Map();
  return { ...state, revealed: { names: "all", decrypted, until: now + REVEAL_ALL_MS } };
}

/** Masks values whose time is over. */
export function expireRevealed(state: State): State {
  const { revealed, now } = state;
  if (!revealed) return state;
  if (revealed.until <= now) return { ...state, revealed: undefined };
  const over = [...(revealed.ends ?? [])].flatMap(([name, end]) => (end <= now ? [name] : []));
  return over.length === 0 ? state : masked(state, over);
}

/** Masks some of the values, and forgets their decrypted texts. */
function masked(state: State, hidden: readonly string[]): State {
  const { revealed, readings } = state;
  if (!revealed || revealed.names === "all") return state;
  const names = new Set([...revealed.names].filter((name) => !hidden.includes(name)));
  if (names.size === 0) return { ...state, revealed: undefined };
  const ends = new Map([...(revealed.ends ?? [])].filter(([name]) => names.has(name)));
  const isShown = ({ variable }: VariableEntry) => names.has(variable.name);
  const entries = [...readings.values()].flatMap((reading) => reading.entries.filter(isShown));
  const sealed = new Set(entries.map(({ value }) => value?.content.value));
  const decrypted = new Map([...revealed.decrypted].filter(([text]) => sealed.has(text)));
  return { ...state, revealed: { names, decrypted, ends, until: Math.max(...ends.values()) } };
}

/** Decrypts the values in the row under the cursor that are revealed, and encrypted by a client. */
export function decryptions({ revealed }: State, { table, row, name = "" }: Listed): Work[] {
  if (!revealed || !isRevealed(revealed, name)) return [];
  return table.columns.flatMap(({ place, cells }): Work[] => {
    const entry = cells[row];
    const sealed = entry?.value?.content.value;
    return entry && isEncrypted(sealed) && !revealed.decrypted.has(sealed) ? [decrypting(entry, place)] : [];
  });
}

/** Decrypts the value of a place, while it is revealed. */
function decrypting({ variable, value }: VariableEntry, place: number): Work {
  return async ({ places }) => {
    if (!value) return undefined;
    const sealed = valueText(value.content.value);
    const text = valueText((await places.open(place)).decrypt(variable.name, value.content.value));
    return (now) => step(decrypted(now, sealed, text));
  };
}

/** @param sealed the encrypted form of the value */
function decrypted(state: State, sealed: string, text: string): State {
  const { revealed } = state;
  if (!revealed) return state;
  return { ...state, revealed: { ...revealed, decrypted: new Map(revealed.decrypted).set(sealed, text) } };
}
