import { isEncrypted, valueText } from "../../domain/variable.js";
import type { Entry } from "../ports.js";
import { isRevealed } from "./is-revealed.js";
import type { State } from "./state.js";

/** In the place of every value that is not shown: of one length, since the length of a secret is a hint too. */
export const MASK = "••••••••";

/** What is seen of a value. */
export type ShownValue =
  | { readonly kind: "shown"; readonly text: string }
  | { readonly kind: "masked" }
  /** To be shown, but a client has encrypted it and it was not decrypted. */
  | { readonly kind: "encrypted" }
  /** There is none in this environment. */
  | { readonly kind: "none" }
  /** Not read yet. */
  | { readonly kind: "loading" };

export function shownValue({ variable, value }: Entry, { revealed, loaded }: State): ShownValue {
  if (!value) return { kind: loaded.isComplete ? "none" : "loading" };
  if (!isRevealed(revealed, variable.name)) return { kind: "masked" };
  if (!isEncrypted(value.content.value)) return { kind: "shown", text: valueText(value.content.value) };
  const text = revealed?.decrypted.get(value.content.value);
  return text === undefined ? { kind: "encrypted" } : { kind: "shown", text };
}
