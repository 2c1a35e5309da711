import type { Revealed } from "./state.js";

/** Whether the value of this name is to be shown: what everything that draws values asks. */
export function isRevealed(revealed: Revealed | undefined, name: string): boolean {
  return revealed !== undefined && (revealed.names === "all" || revealed.names.has(name));
}
