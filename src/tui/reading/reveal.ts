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
  const names = new Map(revealed?.names);
  if (!names.delete(name)) names.set(name, now + REVEAL_MS);
  return withRevealed(state, names);
}

function withRevealed(state: State, names: ReadonlyMap<string, number>): State {
  if (names.size === 0) return { ...state, revealed: undefined };
  const decrypted = state.revealed?.decrypted ?? new Map();
  return { ...state, revealed: { names, decrypted, until: Math.max(...names.values()) } };
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
  if (revealed.names === "all") return state;
  const names = new Map([...revealed.names].filter(([, end]) => end > now));
  return names.size === revealed.names.size ? state : withRevealed(state, names);
}

/** Decrypts the values in the row under the cursor that are revealed, and encrypted by a client. */
export function decryptions({ revealed }: State, { table, row, name = "" }: Listed): Work[] {
  if (!revealed || !isRevealed(revealed, name)) return [];
  return table.columns.flatMap(({ place, cells }): Work[] => {
    const sealed = cells[row]?.value?.content.value;
    return isEncrypted(sealed) && !revealed.decrypted.has(sealed) ? [decrypting(place, name, sealed)] : [];
  });
}

/** Decrypts a value of a place, while it is revealed. */
function decrypting(place: number, name: string, sealed: string): Work {
  return async ({ places }) => {
    const text = valueText((await places.open(place)).decrypt(name, sealed));
    return (now) => {
      const { revealed } = now;
      const decrypted = new Map(revealed?.decrypted).set(sealed, text);
      return step(revealed ? { ...now, revealed: { ...revealed, decrypted } } : now);
    };
  };
}
