import type { Place } from "./ports.js";
import type { State } from "./state.js";

/**
 * Whether a place holds, by its name or its identity, what runs in production: the environment's part of the name has the
 * word `prod` or `production`, as in `shop/production`, `eu-prod-1` and `PROD`, and no `pre` or `non` before it.
 */
export function isProduction({ name, identity = "" }: Pick<Place, "name" | "identity">): boolean {
  return [name, identity].some((text) => {
    const words = (text.split("/").at(-1) ?? "").toLowerCase().match(/\p{L}+/gu) ?? [];
    return words.some((word, index) => {
      return (word === "prod" || word === "production") && !["pre", "non"].includes(words[index - 1] ?? "");
    });
  });
}

/** Whether the screen is about production: the open place, the one that it is compared with, or the one to be edited. */
export function showsProduction({ places, place, mode }: Pick<State, "places" | "place" | "mode">): boolean {
  const edited = mode.kind === "confirm" || mode.kind === "form" ? mode.place : undefined;
  const shown = edited !== undefined ? [edited] : mode.kind === "diff" ? [place, mode.place] : [place];
  return shown.some((index) => places[index] !== undefined && isProduction(places[index]));
}
