import { InvalidDataError, NotFoundError, UsageError } from "../../domain/errors.js";
import type { Check } from "../../domain/read.js";
import { namedValues, readVariableEntries, type VariableSource } from "../../domain/source.js";
import type { NamedValue } from "../../domain/variable.js";
import type { Context } from "../output/context.js";
import { type CheckEntries, problemsOf } from "../reading/check-source.js";
import { describeMissing } from "../reading/run-get.js";
import type { NAME_STYLES, SelectionOptions } from "./selection-flags.js";

type Rename = (name: string) => string;

/** Loaded when used. Underscores at the ends are kept, and so no name becomes empty or begins with a digit. */
const NAME_TRANSFORMERS: Readonly<Record<(typeof NAME_STYLES)[number], () => Promise<Rename>>> = {
  upper: async () => (name) => name.toUpperCase(),
  lower: async () => (name) => name.toLowerCase(),
  camel: async () => {
    const { camelCase } = await import("change-case");
    return (name) => camelCase(name, CASE_OPTIONS);
  },
  pascal: async () => {
    const { pascalCase } = await import("change-case");
    return (name) => pascalCase(name, CASE_OPTIONS);
  },
  kebab: async () => {
    const { kebabCase } = await import("change-case");
    return (name) => kebabCase(name, CASE_OPTIONS);
  },
  "tf-var": async () => (name) => `TF_VAR_${name.toLowerCase()}`,
};

const CASE_OPTIONS = { locale: false, prefixCharacters: "_", suffixCharacters: "_" } as const;

export interface Selection {
  /** The variables that are asked for by name, under their new names. */
  named: readonly string[];
  /**
   * Returns the selected variables in the same order.
   *
   * @param known all variables of the environment, for suggestions
   * @throws NotFoundError for patterns of `--only` without a match
   */
  select(names: readonly string[], known: readonly string[]): Promise<string[]>;
  /** The new names of variables. @throws UsageError for two with the same new name */
  rename(names: readonly string[]): ReadonlyMap<string, string>;
  /** Notes patterns of `--exclude` without a match, once. Not for a read whose result may be dropped. */
  noteUnmatched(names: readonly string[]): void;
  readonly findProblems: CheckEntries | undefined;
}

export interface SelectedValue extends NamedValue {
  newName: string;
}

/**
 * The selected values as they are stored, by ascending id of the variable.
 *
 * @param isTaken whether a new name has its value from elsewhere, so that `--strict` does not miss it
 * @throws as `Selection`; with `--strict` also NotFoundError and InvalidDataError
 */
export async function readSelected(
  selection: Selection,
  source: VariableSource,
  isTaken: (newName: string) => boolean = () => false,
): Promise<SelectedValue[]> {
  const { findProblems } = selection;
  const [entries, check] = await source.readSnapshot(async (snapshot) => {
    const all = await readVariableEntries(snapshot);
    return [all, await findProblems?.(snapshot, all)] as const;
  });
  const stored = namedValues(entries);
  const names = stored.map(({ name }) => name);
  const known = entries.map(({ variable }) => variable.name);
  if (check) await refuseProblems(check, selection, known, isTaken);
  const selected = selection.rename(await selection.select(names, known));
  selection.noteUnmatched(check ? known : names);
  return stored.flatMap((entry) => {
    const newName = selected.get(entry.name);
    return newName === undefined ? [] : [{ ...entry, newName }];
  });
}

/** @throws NotFoundError for selected variables without a value, InvalidDataError for others with a problem */
async function refuseProblems(
  check: Check,
  selection: Selection,
  known: readonly string[],
  isTaken: (newName: string) => boolean,
): Promise<void> {
  const newNames = selection.rename(await selection.select(known, known));
  const problems = problemsOf(check).filter(({ name }) => {
    const newName = newNames.get(name);
    return newName !== undefined && !isTaken(newName);
  });
  if (problems.length === 0) return;
  const text = `--strict: ${problems.map(({ name, rule }) => `${name} ${rule}`).join("; ")}`;
  throw problems.some(({ name }) => check.missing.includes(name))
    ? new NotFoundError(text)
    : new InvalidDataError(text);
}

/** Loads the code for the flags. */
export async function createSelection(
  { only, exclude = [], nameTransformer, findProblems }: SelectionOptions,
  { note }: Pick<Context, "note">,
): Promise<Selection> {
  const rename: Rename = nameTransformer ? await NAME_TRANSFORMERS[nameTransformer]() : (name) => name;
  const [wanted, unwanted] = [only && createMatcher(only), createMatcher(exclude)];
  const named = only?.filter((pattern) => !isGlob(pattern) && !unwanted.matches(pattern)) ?? [];
  const noted = new Set<string>();
  return {
    named: named.map(rename),
    async select(names, known) {
      const missing = wanted?.unmatched(names) ?? [];
      if (missing.length > 0) throw await notFound(missing, known);
      return names.filter((name) => (wanted?.matches(name) ?? true) && !unwanted.matches(name));
    },
    findProblems,
    rename: (names) => renamed(names, rename),
    noteUnmatched(names) {
      for (const pattern of unwanted.unmatched(names)) {
        if (!noted.has(pattern)) note(`--exclude ${pattern} matches no variable`);
        noted.add(pattern);
      }
    },
  };
}

interface Matcher {
  matches(name: string): boolean;
  /** The patterns that match none of these names. */
  unmatched(names: readonly string[]): string[];
}

export function createMatcher(patterns: readonly string[]): Matcher {
  const names = new Set(patterns.filter((pattern) => !isGlob(pattern)));
  const globs = patterns.filter(isGlob).map((glob) => [glob, compileGlob(glob)] as const);
  return {
    matches: (name) => names.has(name) || globs.some(([, matches]) => matches(name)),
    unmatched(present) {
      const missing = [...names].filter((name) => !present.includes(name));
      return [...missing, ...globs.filter(([, matches]) => !present.some(matches)).map(([glob]) => glob)];
    },
  };
}

/** Only of characters of names, `*`, `?` and `[a-z]`: anything else is the name of a variable that can't exist. */
function isGlob(pattern: string): boolean {
  return /^[\w.*?[\]!^-]+$/.test(pattern) && /[*?[]/.test(pattern);
}

/**
 * Matches in linear time: with the first match of a part between stars, which has a fixed length, the rest of a name
 * is the longest. So there is no need to go back for another, and the lookahead prevents it. picomatch goes back: with
 * four stars or more, it takes seconds to minutes for a name of 250 equal characters.
 */
function compileGlob(glob: string): (name: string) => boolean {
  const parts = [""];
  for (const token of glob.match(/\[[^\]]+\]|\*+|./g) ?? []) {
    if (token.startsWith("*")) parts.push("");
    else parts.push(`${parts.pop()}${sourceOf(token)}`);
  }
  const [first = "", ...others] = parts;
  const last = others.pop();
  const between = others.map((part, index) => `(?=(.*?${part}))\\${index + 1}`).join("");
  try {
    const pattern = new RegExp(`^${first}${last === undefined ? "" : `${between}.*${last}`}$`);
    return (name) => pattern.test(name);
  } catch {
    // Such as [z-a].
    return () => false;
  }
}

/** Of `?`, a class such as `[a-z]` or `[!a-z]`, or one character. */
function sourceOf(token: string): string {
  if (token === "?") return ".";
  return token.length > 1 ? token.replace("[!", "[^") : token.replace(/[.[\]^]/, "\\$&");
}

async function notFound(patterns: readonly string[], known: readonly string[]): Promise<NotFoundError> {
  const names = patterns.filter((pattern) => !isGlob(pattern));
  const messages = patterns.filter(isGlob).map((glob) => `${glob} matches no variable in this environment`);
  if (names.length > 0) messages.unshift(await describeMissing(names, known));
  return new NotFoundError(messages.join("; "));
}

function renamed(names: readonly string[], rename: Rename): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  for (const name of names) result.set(name, rename(name));
  if (new Set(result.values()).size === result.size) return result;
  const origins = new Map<string, string[]>();
  for (const [name, newName] of result) origins.set(newName, [...(origins.get(newName) ?? []), name]);
  const clashes = [...origins].filter(([, from]) => from.length > 1);
  const described = clashes.map(([newName, from]) => `${from.join(" and ")} (${newName})`);
  throw new UsageError(
    `--name-transformer gives the same name to ${described.join(", ")}: choose with --only or --exclude`,
  );
}
