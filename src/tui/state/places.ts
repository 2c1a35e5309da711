import { visibleText } from "../text/graphemes.js";
import type { Place } from "./ports.js";

export interface PlaceInfo extends Omit<Place, "open"> {
  /**
   * Whether the place no longer exists. It is not listed, but keeps its index,
   * because it may come back.
   */
  readonly isGone?: boolean;
}

interface WithPlaces {
  readonly places: readonly PlaceInfo[];
}

/** Indexes in the order of the list, by group, without places that are gone. */
export function placeOrder(places: readonly PlaceInfo[]): readonly number[] {
  const groups = new Map<string, number[]>();
  for (const [index, { group, isGone }] of places.entries()) {
    if (!isGone) groups.set(group, [...(groups.get(group) ?? []), index]);
  }
  return [...groups.values()].flat();
}

/** Indexes of the group of the open place. */
export function groupOf({
  places,
  place,
}: WithPlaces & { readonly place: number }): readonly number[] {
  const group = places[place]?.group;
  return [...places.keys()].filter((index) => {
    return places[index]?.group === group && (index === place || !places[index]?.isGone);
  });
}

/**
 * The label of a group in a narrow panel: `shop`, `vars.example.com`, or the
 * name of a file.
 */
export function groupLabel(group: string): string {
  const [, address] = group.split("://");
  return visibleText(address ?? group.split("/").findLast((part) => part !== "") ?? group);
}

/**
 * The name of a place under the heading of its group: `production` for
 * `shop/production`.
 */
export function shortPlaceName({ places }: WithPlaces, index: number): string {
  const { name = "", group } = places[index] ?? {};
  const prefix = `${group}/`;
  return visibleText(name.startsWith(prefix) ? name.slice(prefix.length) : name);
}

/** The identity, if name and group don't already say it. */
export function identityOf({ name, group, identity }: PlaceInfo): string | undefined {
  return identity === name || identity === `${group}/${name}` ? undefined : identity;
}

/** `sealed`, `read-only`, `keys: ci, web (API_*)` */
export function attributesOf({
  isSealed,
  isServer,
  readOnly,
  apiKeys = [],
}: PlaceInfo): readonly string[] {
  const named = apiKeys
    .map(({ name, only }) => (only ? `${name} (${only.join(", ")})` : name))
    .join(", ");
  return [
    isSealed ? "sealed" : "",
    isServer || readOnly ? "read-only" : "",
    named && `keys: ${named}`,
  ].filter(Boolean);
}

export function whyReadOnly(state: WithPlaces, place: number): string | undefined {
  const { isServer, readOnly } = state.places[place] ?? {};
  const reason = isServer ? "the variables of a server can't be edited here" : readOnly;
  return reason && `${placeName(state, place)} is read-only: ${reason}`;
}

export function placeName({ places }: WithPlaces, index: number): string {
  return visibleText(places[index]?.name ?? "");
}

/**
 * Whether the name or the identity says that a place is production: a word
 * begins or ends with `prod`, as in `shop/production`, `eu-prod-1`, `ProdEU`
 * and `myprod`. The application of an environment does not count.
 */
export function isProduction(place: PlaceInfo | undefined): boolean {
  const { name = "", identity = "", kind } = place ?? {};
  return [kind === "environment" ? environmentOf(name) : name, environmentOf(identity)].some(
    namesProduction,
  );
}

function environmentOf(name: string): string {
  return name.split("/").at(-1) ?? "";
}

/**
 * Matches a word that begins or ends with `prod` or `production`, but not
 * `product`, `preprod`, `non-prod` or `reproduction`.
 */
const PRODUCTION =
  /(?=prod)(?<!(?<!\p{L})(?:(?:pre|non|not)\P{L}*|re))(?:(?<!\p{L})prod(?!u)|(?<!\p{L})production|prod(?:uction)?(?!\p{L}))/u;

function namesProduction(text: string): boolean {
  return PRODUCTION.test(text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ").toLowerCase());
}
