import type { Place } from "./ports.js";
import type { State } from "./state.js";

/**
 * Whether a place holds, by its name or its identity, data of production: a word begins or ends with `prod`, as in
 * `shop/production`, `eu-prod-1`, `ProdEU` and `myprod`. The application of an environment doesn't count.
 */
export function isProduction({ name, identity = "", kind }: Pick<Place, "name" | "identity" | "kind">): boolean {
  return [kind === "environment" ? environmentOf(name) : name, environmentOf(identity)].some(namesProduction);
}

function environmentOf(name: string): string {
  return name.split("/").at(-1) ?? "";
}

/** A run of letters, and its words in camel case. */
const RUN = /\p{L}+/gu;
const WORD = /\p{Lu}+(?!\p{Ll})|\p{L}\P{Lu}*/gu;

/** Not `product` or `produce`. */
const BEGINNING = /^prod(?!u)|^production/;
/** Not `preprod` or `reproduction`. */
const END = /(?<!^(?:pre|non|not|re))(?:prod|production)$/;

const NEGATIONS = ["pre", "non", "not"];

function namesProduction(text: string): boolean {
  const runs = text.match(RUN) ?? [];
  const words = runs.flatMap((run) => run.match(WORD) ?? []).map((word) => word.toLowerCase());
  return words.some((word, index) => {
    return (BEGINNING.test(word) || END.test(word)) && !NEGATIONS.includes(words[index - 1] ?? "");
  });
}

/**
 * Whether the screen is about production: the open place, the one that it is compared with, or the one that would be
 * edited, which in the matrix is that under the cursor.
 */
export function showsProduction({ places, place, mode }: Pick<State, "places" | "place" | "mode">): boolean {
  const isOfOne = mode.kind === "confirm" || mode.kind === "form" || mode.kind === "matrix";
  const shown = isOfOne ? [mode.place ?? place] : mode.kind === "diff" ? [place, mode.place] : [place];
  return shown.some((index) => places[index] !== undefined && isProduction(places[index]));
}
