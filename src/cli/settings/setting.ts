import { UsageError } from "../../domain/errors.js";
import { definitionOf, type PlaceKind, placeOf, SETTING_NAMES, type SettingName } from "./setting-table.js";

/** A setting as it was given: its text, and the flag, variable or file that gave it. */
export interface Setting {
  name: SettingName;
  text: string;
  from: string;
  place: PlaceKind;
  /** Why it must not be used; undefined if it may be. */
  blocked?: string;
}

/** All settings that were given, strongest first: flags, variables, `.appvars.json`, the profile. */
export type GivenSettings = readonly Setting[];

/** Thrown when a setting is needed that the user has not allowed. */
export class NotAllowedError extends UsageError {}

/** The flags of a command, as commander parses them. */
export type SourceFlags = Record<string, unknown>;

/**
 * Reads the flags that commander parsed, or the environment variables.
 *
 * @throws UsageError for an empty flag: `--url "$URL"` with URL unset must not select another server
 */
export function readGiven(place: "flag" | "variable", texts: Record<string, unknown>): Setting[] {
  const given: Setting[] = [];
  for (const name of SETTING_NAMES) {
    const from = placeOf(name, place);
    const value = from && texts[place === "flag" ? name : from];
    const text = value === true ? "true" : value;
    if (place === "flag" && text === "") throw new UsageError(`${from} must not be empty`);
    // An empty variable counts as unset, as in other programs.
    if (from && typeof text === "string" && text !== "") given.push({ name, text, from, place });
  }
  return given;
}

/**
 * The strongest setting that has one of these names.
 *
 * @throws NotAllowedError if it must not be used; UsageError if one place gives two of them
 */
export function findSetting(given: GivenSettings, ...names: SettingName[]): Setting | undefined {
  const [first, second] = given.filter(({ name }) => names.includes(name));
  if (first?.blocked !== undefined) throw new NotAllowedError(first.blocked);
  if (second && second.place === first?.place && second.name !== first.name)
    throw new UsageError(`${first.from} and ${second.from} are mutually exclusive: use only one`);
  return first;
}

/** Whether a setting with one of these names is given, which may be one that must not be used. */
export function hasSetting(given: GivenSettings, ...names: SettingName[]): boolean {
  return given.some(({ name }) => names.includes(name));
}

/** Reads a variable that is on or off, off if it is unset. @throws UsageError for any other text */
export function readSwitch(variable: string, env: Record<string, string | undefined>): boolean {
  const text = env[variable] ?? "";
  if (!["", "0", "1", "false", "true"].includes(text)) throw new UsageError(`${variable} must be 1 or 0`);
  return text === "1" || text === "true";
}

export const HIDDEN = "(hidden)";

/** The text of a setting; undefined if it is, or may hold, a secret. */
export function shownText({ name, text }: Setting): string | undefined {
  const isHidden = definitionOf(name).is === "secret" || (["url", "store"].includes(name) && hidesSecret(text));
  return isHidden ? undefined : text;
}

/** Whether a URL may hold a password or a token. It is refused when it is used, but until then it can be shown. */
export function hidesSecret(url: string): boolean {
  return /[@?#]/.test(url);
}
