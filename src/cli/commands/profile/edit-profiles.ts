import { NotFoundError, UsageError } from "../../../domain/errors.js";
import { suggestion } from "../../../domain/nearest.js";
import { noProfile, type Profiles } from "../../settings/profiles.js";
import type { SettingsObject } from "../../settings/settings-file.js";

const PROFILE_NAME_PATTERN = /^\w[\w.-]{0,63}$/;

export function checkProfileName(name: string): void {
  if (PROFILE_NAME_PATTERN.test(name)) return;
  throw new UsageError("the name of a profile must be 1 to 64 letters, digits, _ . or -, and not begin with . or -");
}

export function refuseExisting({ profiles }: Profiles, name: string): void {
  if (!Object.hasOwn(profiles, name)) return;
  throw new UsageError(`there already is a profile "${name}": add --force to replace it`);
}

/** Adds a profile, or replaces the one with that name. The first one becomes the current profile. */
export function addProfile({ current, ...others }: Profiles, name: string, settings: SettingsObject): Profiles {
  const isFirst = Object.keys(others.profiles).length === 0;
  const next = isFirst ? name : current;
  // A computed key is an own property even when it is `__proto__`.
  const profiles = { ...others.profiles, [name]: settings };
  return { ...others, ...(next !== undefined && { current: next }), profiles };
}

/** @throws NotFoundError */
export function useProfile(all: Profiles, name: string): Profiles {
  requireProfiles(all, [name]);
  return { ...all, current: name };
}

/** Removes all of them, or none. @throws NotFoundError */
export function removeProfiles(all: Profiles, names: readonly string[]): Profiles {
  requireProfiles(all, names);
  const kept = Object.entries(all.profiles).filter(([name]) => !names.includes(name));
  return { ...all, profiles: Object.fromEntries(kept) };
}

function requireProfiles({ profiles }: Profiles, names: readonly string[]): void {
  const missing = names.filter((name) => !Object.hasOwn(profiles, name));
  if (missing.length > 0) throw new NotFoundError(missing.map((name) => missingProfile(name, profiles)).join("; "));
}

function missingProfile(name: string, profiles: Profiles["profiles"]): string {
  const hint = suggestion(name, Object.keys(profiles));
  return hint ? `there is no profile "${name}"${hint}` : noProfile(name, profiles);
}
