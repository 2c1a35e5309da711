import type { Assigned, Entry } from "../ports.js";

/** What a variable holds here; undefined where it has no value. */
export function assigned({ variable: { type, description }, value }: Entry): Assigned | undefined {
  return value && { type, description, value: value.content.value };
}
