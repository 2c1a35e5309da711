import { UsageError } from "../../domain/errors.js";
import { placeOf, SECRET_SETTINGS, SETTING_NAMES, type SettingName } from "./setting-names.js";

/** A setting as it was given: its text, and the flag, variable or file that gave it. */
export interface Setting {
  name: SettingName;
  text: string;
  from: string;
  /** Why it must not be used; undefined if it may be. */
  blocked?: string;
}

export type Layer = ReadonlyMap<SettingName, Setting>;

/** The places that give settings, strongest first. */
export interface Layers {
  readonly flags: Layer;
  readonly variables: Layer;
  /** `.appvars.json`. */
  readonly project: Layer;
  readonly profile: Layer;
  /** The name of the profile that is used if none is chosen: to be shown, since `profile` has its settings. */
  readonly current: Layer;
}

const EMPTY: Layer = new Map();

export const NO_LAYERS: Layers = { flags: EMPTY, variables: EMPTY, project: EMPTY, profile: EMPTY, current: EMPTY };

/** Thrown when a setting is needed that the user has not allowed. */
export class NotAllowedError extends UsageError {}

/** The flags of a command, as commander parses them. */
export type SourceFlags = Record<string, unknown>;

/**
 * Reads the flags that commander parsed, or the environment variables.
 *
 * @throws UsageError for an empty flag: `--url "$URL"` with URL unset must not select another server
 */
export function readLayer(kind: "flag" | "variable", texts: Record<string, unknown>): Layer {
  const layer = new Map<SettingName, Setting>();
  for (const name of SETTING_NAMES) {
    const from = placeOf(name, kind);
    const given = from && texts[kind === "flag" ? name : from];
    const text = given === true ? "true" : given;
    if (kind === "flag" && text === "") throw new UsageError(`${from} must not be empty`);
    // An empty variable counts as unset, as in other programs.
    if (from && typeof text === "string" && text !== "") layer.set(name, { name, text, from });
  }
  return layer;
}

/** From the strongest to the weakest. */
export function layerList({ flags, variables, project, profile }: Layers): readonly Layer[] {
  return [flags, variables, project, profile];
}

/**
 * The strongest setting that has one of these names.
 *
 * @throws NotAllowedError if it must not be used; UsageError if one layer gives two of them
 */
export function findSetting(layers: Layers, ...names: SettingName[]): Setting | undefined {
  for (const layer of layerList(layers)) {
    const [first, second] = names.flatMap((name) => layer.get(name) ?? []);
    if (first?.blocked !== undefined) throw new NotAllowedError(first.blocked);
    if (first && second) throw new UsageError(`${first.from} and ${second.from} are mutually exclusive: use only one`);
    if (first) return first;
  }
  return undefined;
}

/** Whether any layer has a setting with one of these names, which may be one that must not be used. */
export function hasSetting(layers: Layers, ...names: SettingName[]): boolean {
  return layerList(layers).some((layer) => names.some((name) => layer.has(name)));
}

/** @param names of the settings, for messages @throws UsageError if only one of two that belong together is given */
export function requireBoth(
  [one, other]: readonly [Setting | undefined, Setting | undefined],
  names: readonly [string, string],
): void {
  if (one && !other) throw new UsageError(`${one.from} needs ${names[1]} too`);
  if (other && !one) throw new UsageError(`${other.from} needs ${names[0]} too`);
}

/** Reads a variable that is on or off, off if it is unset. @throws UsageError for any other text */
export function readSwitch(variable: string, env: Record<string, string | undefined>): boolean {
  const text = env[variable] ?? "";
  if (!["", "0", "1", "false", "true"].includes(text)) throw new UsageError(`${variable} must be 1 or 0`);
  return text === "1" || text === "true";
}

export const HIDDEN = "(hidden)";

/** The name that is shown for a setting, as in the settings files: `max_wait`. */
export function shownName(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The text of a setting; undefined if it is, or may hold, a secret. */
export function shownText({ name, text }: Setting): string | undefined {
  return SECRET_SETTINGS.includes(name) || ((name === "url" || name === "store") && hidesSecret(text))
    ? undefined
    : text;
}

/** Whether a URL may hold a password or a token. It is refused when it is used, but until then it can be shown. */
export function hidesSecret(url: string): boolean {
  return /[@?#]/.test(url);
}
