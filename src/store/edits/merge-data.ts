import { isDeepStrictEqual as isSame } from "node:util";
import { InvalidDataError } from "../../kit/text/errors.js";
import { isPublic, isSealedText, type VariableType, valueFitsType } from "../../model/variable.js";
import { type Data, mapById, withLastIds } from "../data.js";
import { checkData } from "../schema/parse-data.js";
import { brokenValues } from "../schema/value-schema.js";
import {
  labelOf,
  type MergeRecord,
  type MergeRecords,
  mergeRecordsOf,
  TOP_LEVEL_KEY,
  toData,
} from "./merge-records.js";

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

type Problem = readonly [key: string, problem: string];
type Report = (problem: string) => void;
type Sides<T> = readonly [base: T, ours: T, theirs: T];
type Fields = MergeRecord["fields"] | undefined;

const THEIRS_REMOVED = "changed by ours, removed by theirs";
const OURS_REMOVED = "removed by ours, changed by theirs";
const MAYBE_SAME = "; without the key, it is unknown whether the values are equal";

/**
 * Merges two branches field by field, matching records by name. The
 * records of `ours` keep their ids; new ones of `theirs` keep theirs if they
 * are free. Sealed strings are not opened.
 *
 * @param base the common ancestor, or no data
 * @returns valid data, with what `ours` has wherever there is a conflict
 * @throws InvalidDataError if both break another rule together, such as two
 *   environments with the same key; if sealed strings would have to be opened
 */
export async function mergeData(base: Data, ours: Data, theirs: Data): Promise<Merge> {
  const used = [base, ours, theirs].filter(({ environments }) => environments.length > 0);
  if (new Set(used.map(({ sealed }) => sealed)).size > 1)
    throw keyError("of base, ours and theirs, only some are sealed");
  const branch = mergeRecordsOf(ours, base);
  const sides = [mergeRecordsOf(base, base), branch, mergeRecordsOf(theirs, base)] as const;
  for (let fromOurs: ReadonlyMap<string, string> = new Map(); ; ) {
    const { merged, problems } = mergeEntries(sides, fromOurs);
    const misfits = new Map([
      ...fromOurs,
      ...MISFIT_FINDERS.flatMap((find) => [...find(merged, sides)]),
    ]);
    // Others may not fit a record that was taken from `ours`.
    if (misfits.size > fromOurs.size) {
      fromOurs = misfits;
      continue;
    }
    if (merged.get(TOP_LEVEL_KEY)?.fields["sealed"]) checkSealed(merged, sides);
    removeUnused(merged, sides);
    const next = toData(merged, branch, ours, theirs);
    const data = checkData(withLastIds(theirs, withLastIds(ours, next)));
    const broken = await findSchemaConflicts(data, ours, base);
    if (broken.length === 0) return { data, conflicts: [...problems, ...misfits].map(toConflict) };
    fromOurs = new Map([...misfits, ...broken]);
  }
}

function keyError(reason: string): InvalidDataError {
  return new InvalidDataError(`the seal key is needed (set APPVARS_SEAL_KEY): ${reason}`);
}

function toConflict([key, problem]: Problem): Conflict {
  return { record: labelOf(key), problem };
}

/** @param fromOurs the keys of records to take from `ours` */
function mergeEntries(
  [base, ours, theirs]: Sides<MergeRecords>,
  fromOurs: Pick<ReadonlySet<string>, "has">,
) {
  const merged: MergeRecords = new Map();
  const problems: Problem[] = [];
  for (const [key, { refersTo }] of new Map([...ours, ...theirs])) {
    const isOurs = [key, ...refersTo].some((each) => fromOurs.has(each));
    const own = ours.get(key);
    const report = (problem: string) => problems.push([key, problem]);
    const record = isOurs ? own : mergeRecord([base.get(key), own, theirs.get(key)], report);
    if (record) merged.set(key, record);
  }
  return { merged, problems };
}

function mergeRecord(
  [base, ours, theirs]: Sides<MergeRecord | undefined>,
  report: Report,
): MergeRecord | undefined {
  const record = ours ?? theirs;
  const sides = [base?.fields, ours?.fields, theirs?.fields] as const;
  const removed = ours ? THEIRS_REMOVED : OURS_REMOVED;
  const fields = ours && theirs ? mergeFields(sides, report) : merge(sides, removed, report);
  return record && fields && { ...record, fields };
}

function mergeFields([base, ours, theirs]: Sides<Fields>, report: Report): Fields {
  const fields: Record<string, unknown> = {};
  for (const name in { ...ours, ...theirs }) {
    const [own, other] = [ours?.[name], theirs?.[name]];
    const hint = isSealedText(own) && isSealedText(other) ? MAYBE_SAME : "";
    fields[name] = merge([base?.[name], own, other], `${name}: changed by both${hint}`, report);
  }
  return fields;
}

/** Returns what one side has changed; `ours` in a conflict. */
function merge<T>([base, ours, theirs]: Sides<T>, conflict: string, report: Report): T {
  if (isSame(base, ours)) return theirs;
  if (!isSame(base, theirs) && !isSame(ours, theirs)) report(conflict);
  return ours;
}

/**
 * Functions that find records that don't fit others. Taking these records from
 * `ours` solves the problem.
 */
const MISFIT_FINDERS = [missingReferences, otherTypes, madePublic, sharedNames];

/**
 * Finds values that would break their schemas, or the variables with these
 * schemas.
 */
async function findSchemaConflicts(data: Data, ours: Data, base: Data): Promise<Problem[]> {
  const broken = mapById(await brokenValues(ours, data));
  if (broken.size === 0) return [];
  return [...mergeRecordsOf(data, base)].flatMap(([key, { id, refersTo }]): Problem[] => {
    const value = refersTo.length === 2 && broken.get(id);
    if (!value) return [];
    const problem = `${labelOf(key)} would break its schema: it ${value.rule}`;
    return [[(!value.isNew && refersTo[0]) || key, problem]];
  });
}

function* missingReferences(
  merged: MergeRecords,
  [base, ours]: Sides<MergeRecords>,
): Generator<Problem> {
  for (const [key, { refersTo, fields }] of merged)
    for (const reference of refersTo.filter((each) => !merged.has(each))) {
      // The value of a variable that stays, in an environment that was removed.
      if (isSame(base.get(key)?.fields, fields)) merged.delete(key);
      else yield [reference, ours.has(reference) ? THEIRS_REMOVED : OURS_REMOVED];
    }
}

function* otherTypes(merged: MergeRecords): Generator<Problem> {
  for (const { refersTo, fields } of merged.values()) {
    const [variable = ""] = refersTo;
    const type = merged.get(variable)?.fields["type"] as VariableType | undefined;
    if (type && !valueFitsType(fields["value"], type))
      yield [variable, "type: changed by one, a value by the other"];
  }
}

function* madePublic(
  merged: MergeRecords,
  [base, ...branches]: Sides<MergeRecords>,
): Generator<Problem> {
  for (const [key, { refersTo }] of merged) {
    const [variable = ""] = refersTo;
    if (!isPublic(merged.get(variable)?.fields)) continue;
    const isSetAsSecret = (branch: MergeRecords) =>
      branch.has(variable) &&
      !isPublic(branch.get(variable)?.fields) &&
      !isSame(branch.get(key)?.fields, base.get(key)?.fields);
    if (branches.some(isSetAsSecret))
      yield [variable, "secret: made public by one, a value set by the other"];
  }
}

function* sharedNames(merged: MergeRecords, [, ours]: Sides<MergeRecords>): Generator<Problem> {
  const keys = new Map<string, string>();
  for (const [key, { refersTo, fields }] of merged) {
    const { application, name } = fields;
    if (name === undefined || refersTo.length > 0) continue;
    const full = `${key.slice(0, key.indexOf("\n"))} ${application}/${name}`;
    const other = keys.get(full);
    if (other)
      for (const each of [key, other])
        if (ours.get(each)?.fields["name"] !== name) yield [each, "name: used for another by ours"];
    keys.set(full, key);
  }
}

/**
 * @throws InvalidDataError for a sealed secret that is neither as in `ours` nor
 *   as in `theirs`
 */
function checkSealed(merged: MergeRecords, [, ...branches]: Sides<MergeRecords>): void {
  for (const [key, { refersTo, fields }] of merged) {
    const [variable = ""] = refersTo;
    const isPlain = isPublic(merged.get(variable)?.fields) && !isSealedText(fields["value"]);
    if (!("credentials" in fields || ("value" in fields && !isPlain))) continue;
    const binding = bindingOf(key, merged);
    if (!branches.some((branch) => isSame(bindingOf(key, branch), binding)))
      throw keyError(
        `one branch has changed ${labelOf(key)}, and the other its name, type or visibility`,
      );
  }
}

/**
 * Returns a secret, and whatever determines if it is sealed and where it is
 * valid.
 */
function bindingOf(key: string, records: MergeRecords): unknown[] {
  const record = records.get(key);
  const binding = [key, ...(record?.refersTo ?? [])].map((each) => {
    const { application, name, type, secret } = records.get(each)?.fields ?? {};
    return [application, name, type, secret];
  });
  const { value, credentials, only, valid_until } = record?.fields ?? {};
  return [value, credentials, only, valid_until, binding];
}

/** Removes definitions whose last values were unset, some by each side. */
function removeUnused(merged: MergeRecords, [, ours, theirs]: Sides<MergeRecords>): void {
  const used = (records: MergeRecords) =>
    new Set([...records.values()].map(({ refersTo: [variable] }) => variable));
  const [now, before, other] = [used(merged), used(ours), used(theirs)];
  for (const key of merged.keys())
    if (!now.has(key) && before.has(key) && other.has(key)) merged.delete(key);
}
