import { InvalidDataError, NotFoundError, UsageError } from "../../kit/text/errors.js";
import { createMatcher, isGlob } from "../../model/name-matcher.js";
import { describeMissing } from "../../model/reads/missing-names.js";
import { readAll } from "../../model/reads/page.js";
import type { Check, Snapshot, VariableSource } from "../../model/reads/read.js";
import { checkType } from "../../model/reads/variable-entries.js";
import { isUnreadable, type NamedValue, type VariableType } from "../../model/variable.js";
import { problemsOf } from "../sources/check-source.js";
import type { Caller } from "../surroundings.js";
import type { NAME_STYLES, SelectionOptions } from "./selection-options.js";

type Rename = (name: string) => string;

const NAME_TRANSFORMERS: Readonly<Record<(typeof NAME_STYLES)[number], Rename>> = {
  upper: (name) => name.toUpperCase(),
  lower: (name) => name.toLowerCase(),
  "tf-var": (name) => `TF_VAR_${name.toLowerCase()}`,
};

export type Selection = ReturnType<typeof createSelection>;

export interface SelectedValue extends Omit<NamedValue, "type"> {
  newName: string;
  /** `undefined` if it was not asked for. */
  type: VariableType | undefined;
}

interface ReadOptions {
  /** Whether a new name has its value from elsewhere. */
  isSetElsewhere?: (newName: string) => boolean;
  /** Which types are read, by another request. Default none. */
  types?: "all" | "encrypted";
}

/**
 * Reads the selected values as they are stored, by ascending id of the
 * variable.
 *
 * @throws ServerError for a value that is not of its variable's type
 */
export async function readSelected(
  selection: Selection,
  source: VariableSource,
  options: ReadOptions = {},
): Promise<SelectedValue[]> {
  const { selected, existing } = await source.readSnapshot((snapshot) =>
    readFrom(snapshot, selection, options),
  );
  selection.noteUnmatched(existing);
  return selected;
}

async function readFrom(
  snapshot: Snapshot,
  selection: Selection,
  { isSetElsewhere = () => false, types }: ReadOptions,
) {
  const { findProblems, only } = selection;
  const readVariables = () => readAll((page) => snapshot.listVariables(page));
  const readNames = async () => (await readVariables()).map(({ name }) => name);
  const newNamesOf = async (names: readonly string[]) =>
    selection.rename(await selection.select(names, readNames));
  const [values, check, all] = await Promise.all([
    snapshot.values(only),
    findProblems?.(snapshot, only),
    types === "all" ? readVariables() : [],
  ]);
  const names = Object.keys(values);
  const existing = [...new Set([...names, ...(check?.missing ?? [])])];
  if (check) refuseProblems(check, await newNamesOf(existing), isSetElsewhere);
  const newNames = [...(await newNamesOf(names))];
  const isTyped = types === "encrypted" && newNames.some(([name]) => isUnreadable(values[name]));
  const variables = isTyped ? await readVariables() : all;
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const selected = newNames.map(([name, newName]): SelectedValue => {
    const value = values[name] ?? null;
    const variable = byName.get(name);
    if (variable) checkType(variable, value);
    return { name, newName, value, rules: snapshot.rulesOf(name), type: variable?.type };
  });
  return { selected, existing };
}

function refuseProblems(
  check: Check,
  newNames: ReadonlyMap<string, string>,
  isSetElsewhere: (newName: string) => boolean,
): void {
  const problems = problemsOf(check).filter(({ name }) => {
    const newName = newNames.get(name);
    return newName !== undefined && !isSetElsewhere(newName);
  });
  if (problems.length === 0) return;
  const text = `--strict: ${problems.map(({ name, rule }) => `${name} ${rule}`).join("; ")}`;
  throw problems.some(({ name }) => check.missing.includes(name))
    ? new NotFoundError(text)
    : new InvalidDataError(text);
}

export function createSelection(
  { only, exclude = [], nameTransformer, findProblems }: SelectionOptions,
  { note }: Caller,
) {
  const rename = nameTransformer ? NAME_TRANSFORMERS[nameTransformer] : (name: string) => name;
  const [wanted, unwanted] = [only && createMatcher(only), createMatcher(exclude)];
  const named = only?.filter((pattern) => !isGlob(pattern) && !unwanted.matches(pattern)) ?? [];
  return {
    findProblems,
    /** The new names of variables that are asked for by name. */
    named: named.map(rename),
    /** The variables to read the values of; `undefined` for all. */
    only: exclude.length === 0 && named.length === only?.length ? named : undefined,
    /**
     * Returns the selected names in the same order.
     *
     * @throws NotFoundError for patterns of `--only` without a match
     */
    async select(names: readonly string[], readAllNames = async () => names): Promise<string[]> {
      const missing = wanted?.unmatched(names) ?? [];
      if (missing.length > 0) throw await notFound(missing, readAllNames);
      return names.filter((name) => (wanted?.matches(name) ?? true) && !unwanted.matches(name));
    },
    /** @throws UsageError for two variables with the same new name */
    rename: (names: readonly string[]) => renamed(names, rename),
    /** Notes patterns of `--exclude` without a match. */
    noteUnmatched(names: readonly string[]): void {
      for (const pattern of unwanted.unmatched(names))
        note(`--exclude ${pattern} matches no variable`, "once");
    },
  };
}

async function notFound(
  patterns: readonly string[],
  readAllNames: () => Promise<readonly string[]>,
): Promise<NotFoundError> {
  const names = patterns.filter((pattern) => !isGlob(pattern));
  const messages = patterns
    .filter(isGlob)
    .map((glob) => `${glob} matches no variable in this environment`);
  if (names.length > 0) messages.unshift(await describeMissing(names, await readAllNames()));
  return new NotFoundError(messages.join("; "));
}

function renamed(names: readonly string[], rename: Rename): ReadonlyMap<string, string> {
  const result = new Map(names.map((name) => [name, rename(name)]));
  const origins = new Map<string, string[]>();
  for (const [name, newName] of result)
    origins.set(newName, [...(origins.get(newName) ?? []), name]);
  const clashes = [...origins].filter(([, from]) => from.length > 1);
  if (clashes.length === 0) return result;
  const described = clashes.map(([newName, from]) => `${from.join(" and ")} (${newName})`);
  throw new UsageError(
    `--name-transformer gives the same name to ${described.join(", ")}: choose with --only or --exclude`,
  );
}
