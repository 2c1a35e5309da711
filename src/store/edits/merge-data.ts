import { isDeepStrictEqual as isSame } from "node:util";
import { withPathInErrors } from "../../kit/files/system-errors.js";
import { InvalidDataError } from "../../kit/text/errors.js";
import { isSealedText } from "../../model/sealed-text.js";
import { type VariableType, valueFitsType } from "../../model/variable.js";
import { type Data, withLastIds } from "../data.js";
import { FileSealing } from "../file/file-sealing.js";
import { checkData } from "../schema/parse-data.js";
import { brokenValues } from "../schema/value-schema.js";
import { type Entries, type Entry, entriesOf, labelOf, SETTINGS, toData } from "./merge-entries.js";

/** What two branches have changed in different ways. */
export interface Conflict {
  /** `variable shop/PORT`, or `shop/PORT in shop/test` for a value. */
  readonly record: string;
  /** `description: changed by both`. Contains no value. */
  readonly problem: string;
}

export interface Merge {
  readonly data: Data;
  readonly conflicts: Conflict[];
}

type Sides<T> = readonly [base: T, ours: T, theirs: T];

type Report = (problem: string) => void;

const THEIRS_REMOVED = "changed by ours, removed by theirs";
const OURS_REMOVED = "removed by ours, changed by theirs";
const MAYBE_SAME = "; whether to the same, only the key tells";

/**
 * Merges two branches of a data file, which may be sealed: then what did not change keeps its
 * sealed text.
 *
 * @param base the content of the common ancestor, or no data
 * @param keys the content of a key file. Without it, sealed texts are compared
 * @throws UsageError for the keys; InvalidDataError as `mergeData`, and for what can't be opened
 */
export async function mergeFiles(
  base: Data,
  ours: Data,
  theirs: Data,
  keys: string | undefined,
): Promise<Merge> {
  if (keys === undefined) return mergeChecked(base, ours, theirs);
  const isSealed = ours.sealed || theirs.sealed;
  const sealing = new FileSealing({ keys, form: "kept" });
  const open = (side: string, content: Data) =>
    withPathInErrors(`${side}:`, Promise.resolve(content).then(sealing.open));
  const [o, t, b] = [
    await open("ours", ours),
    await open("theirs", theirs),
    await open("base", base),
  ];
  for (const [side, content] of Object.entries({ ours, theirs }))
    if (isSealed && !content.sealed) throw notSealedError(side, content, b);
  const { data, conflicts } = await mergeChecked(b, o, t);
  // If one branch has rotated the key, the secrets of the other get the new one too.
  const isRotated = [ours, theirs].some((side) => sealing.isCurrent(side));
  return { data: isSealed ? sealing.seal(data, isRotated) : data, conflicts };
}

/** Anyone can write a plain branch, and sealing its changes would vouch for them. */
function notSealedError(side: string, content: Data, base: Data): InvalidDataError {
  const before = entriesOf(base, base);
  const changed = [...entriesOf(content, base)].filter(
    ([key, { fields }]) => !isSame(fields, before.get(key)?.fields),
  );
  const names = changed.map(([key]) => labelOf(key)).join(", ") || "nothing";
  return new InvalidDataError(
    `${side}: is not sealed, and may be from somebody without the key; it has changed ${names}; seal it first: appvars seal`,
  );
}

/**
 * Merges like `mergeData`. A change to `ours` that would make a value break its schema is a
 * conflict too.
 */
async function mergeChecked(base: Data, ours: Data, theirs: Data): Promise<Merge> {
  const kept = new Map<string, string>();
  for (;;) {
    const merge = mergeData(base, ours, theirs, kept);
    const broken = new Map((await brokenValues(ours, merge.data)).map((each) => [each.id, each]));
    if (broken.size === 0) return merge;
    for (const [key, { id, owners }] of entriesOf(merge.data, base)) {
      const found = owners.length === 2 && broken.get(id);
      if (found)
        kept.set(
          (!found.isNew && owners[0]) || key,
          `${labelOf(key)} would break its schema: it ${found.rule}`,
        );
    }
  }
}

/**
 * Merges two branches: records by their names, each field on its own. The records of `ours` keep
 * their ids; new ones of `theirs` keep theirs if they are free. Sealed texts are not opened.
 *
 * @param base the common ancestor, or no data
 * @param kept the keys of records to take from `ours`, and why; gets more
 * @returns valid data, with what `ours` has wherever there is a conflict
 * @throws InvalidDataError if both together break a rule in another way: two environments with the
 *   same key; if sealed
 *   texts would have to be opened
 */
export function mergeData(
  base: Data,
  ours: Data,
  theirs: Data,
  kept = new Map<string, string>(),
): Merge {
  const forms = [base, ours, theirs].flatMap((side) =>
    side.environments.length > 0 ? [side.sealed === true] : [],
  );
  if (new Set(forms).size > 1) throw keyError("only a part of base, ours and theirs is sealed");
  const sides: Sides<Entries> = [
    entriesOf(base, base),
    entriesOf(ours, base),
    entriesOf(theirs, base),
  ];
  for (;;) {
    const { merged, conflicts } = mergeEntries(sides, kept);
    const size = kept.size;
    for (const [key, problem] of findProblems(merged, sides)) kept.set(key, problem);
    if (kept.size > size) continue;
    if (merged.get(SETTINGS)?.fields["sealed"]) checkSealed(merged, sides);
    removeUnused(merged, sides);
    for (const [key, problem] of kept) conflicts.push({ record: labelOf(key), problem });
    const data = toData(merged, sides[1], ours, theirs);
    return { data: checkData(withLastIds(theirs, withLastIds(ours, data))), conflicts };
  }
}

function keyError(reason: string): InvalidDataError {
  return new InvalidDataError(`the key of --seal-key-file is needed: ${reason}`);
}

function mergeEntries([base, ours, theirs]: Sides<Entries>, kept: ReadonlyMap<string, string>) {
  const merged: Entries = new Map();
  const conflicts: Conflict[] = [];
  for (const [key, { owners }] of new Map([...ours, ...theirs])) {
    const isKept = [key, ...owners].some((each) => kept.has(each));
    const own = ours.get(key);
    const report = (problem: string) => conflicts.push({ record: labelOf(key), problem });
    const entry = isKept ? own : mergeEntry([base.get(key), own, theirs.get(key)], report);
    if (entry) merged.set(key, entry);
  }
  return { merged, conflicts };
}

function mergeEntry(
  [base, ours, theirs]: Sides<Entry | undefined>,
  report: Report,
): Entry | undefined {
  if (ours && theirs)
    return {
      ...ours,
      fields: mergeFields([base?.fields ?? {}, ours.fields, theirs.fields], report),
    };
  const present = ours ?? theirs;
  if (!base) return present;
  if (isSame(base.fields, present?.fields)) return undefined;
  report(ours ? THEIRS_REMOVED : OURS_REMOVED);
  return ours;
}

function mergeFields(
  [base, ours, theirs]: Sides<Entry["fields"]>,
  report: Report,
): Entry["fields"] {
  const names = Object.keys({ ...ours, ...theirs });
  const merged = names.map((name) => {
    const [before, own, other] = [base[name], ours[name], theirs[name]];
    if (isSame(before, own)) return [name, other];
    if (!isSame(before, other) && !isSame(own, other))
      report(
        `${name}: changed by both${isSealedText(own) && isSealedText(other) ? MAYBE_SAME : ""}`,
      );
    return [name, own];
  });
  return Object.fromEntries(merged);
}

type Problem = readonly [key: string, problem: string];

/** Records that don't go with others, and why. To take those of `ours` mends it. */
function findProblems(merged: Entries, sides: Sides<Entries>): Problem[] {
  const checks = [missingOwners(merged, sides), otherTypes(merged), madePublic(merged, sides)];
  return [...checks, sharedNames(merged, sides)].flatMap((found) => [...found]);
}

function* missingOwners(merged: Entries, [base, ours]: Sides<Entries>): Generator<Problem> {
  for (const [key, { owners, fields }] of merged)
    for (const owner of owners.filter((each) => !merged.has(each))) {
      // One of a variable that is kept, in an environment that is not.
      if (isSame(base.get(key)?.fields, fields)) merged.delete(key);
      else yield [owner, ours.has(owner) ? THEIRS_REMOVED : OURS_REMOVED];
    }
}

function* otherTypes(merged: Entries): Generator<Problem> {
  for (const { owners, fields } of merged.values()) {
    const [variable = ""] = owners;
    const type = merged.get(variable)?.fields["type"] as VariableType | undefined;
    if (type && !isSealedText(fields["value"]) && !valueFitsType(fields["value"], type))
      yield [variable, "type: changed by one, a value by the other"];
  }
}

function* madePublic(merged: Entries, [base, ...branches]: Sides<Entries>): Generator<Problem> {
  for (const [key, { owners }] of merged) {
    const [variable = ""] = owners;
    if (merged.get(variable)?.fields["secret"] !== false) continue;
    const isSetAsSecret = (branch: Entries) =>
      branch.get(variable)?.fields["secret"] !== false &&
      !isSame(branch.get(key)?.fields, base.get(key)?.fields);
    if (branches.some((branch) => branch.has(variable) && isSetAsSecret(branch)))
      yield [variable, "secret: made public by one, a value set by the other"];
  }
}

function* sharedNames(merged: Entries, [, ours]: Sides<Entries>): Generator<Problem> {
  const known = new Map<string, string>();
  for (const [key, { owners, fields }] of merged) {
    const { application, name } = fields;
    if (name === undefined || owners.length > 0) continue;
    const full = `${key.slice(0, key.indexOf("\n"))} ${application}/${name}`;
    const other = known.get(full);
    if (other)
      for (const each of [key, other])
        if (ours.get(each)?.fields["name"] !== name) yield [each, "name: given to another by ours"];
    known.set(full, key);
  }
}

/**
 * @throws InvalidDataError if a secret of a sealed file is neither as in `ours` nor as in `theirs`,
 *   under the same name
 */
function checkSealed(merged: Entries, [, ...branches]: Sides<Entries>): void {
  for (const [key, { owners, fields }] of merged) {
    const [variable = ""] = owners;
    const isPublic =
      merged.get(variable)?.fields["secret"] === false && !isSealedText(fields["value"]);
    const isSecret = "credentials" in fields || ("value" in fields && !isPublic);
    if (
      isSecret &&
      !branches.some((branch) => isSame(bindingOf(key, branch), bindingOf(key, merged)))
    )
      throw keyError(
        `one branch has changed ${labelOf(key)}, and the other its name, type or visibility`,
      );
  }
}

/**
 * A secret, and all that decides whether it is sealed, where it can be opened, and what is valid
 * there.
 */
function bindingOf(key: string, entries: Entries): unknown[] {
  const entry = entries.get(key);
  const binding = [key, ...(entry?.owners ?? [])].map((each) => {
    const { application, name, type, secret } = entries.get(each)?.fields ?? {};
    return [application, name, type, secret];
  });
  const { value, credentials, only, valid_until } = entry?.fields ?? {};
  return [value, credentials, only, valid_until, binding];
}

/** Removes definitions whose last values were unset, some by each side. */
function removeUnused(merged: Entries, [, ours, theirs]: Sides<Entries>): void {
  const used = (entries: Entries) =>
    new Set([...entries.values()].map(({ owners: [variable] }) => variable));
  const [now, before, other] = [used(merged), used(ours), used(theirs)];
  for (const key of merged.keys())
    if (!now.has(key) && before.has(key) && other.has(key)) merged.delete(key);
}
