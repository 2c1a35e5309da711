import { isDeepStrictEqual as isSame } from "node:util";
import { allKeyPairs, type Environment, type EnvironmentRecord, qualifiedName } from "../domain/environment.js";
import { InvalidDataError } from "../domain/errors.js";
import { isSealedText } from "../domain/sealed-text.js";
import { type VariableType, valueFitsType } from "../domain/variable.js";
import { type Data, LISTS, type List, nextId, type VariableRecord, withLastIds } from "./data.js";
import { FileSealing, withPlace } from "./file-sealing.js";
import { checkData } from "./parse-data.js";

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

/** A record without its ids, which may be those of other records in another branch. */
interface Entry {
  readonly id: number;
  /** The keys of those that it can't be without: of a value, its variable and its environment. */
  readonly owners: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** By kind and names, which are those of the common ancestor where a record was renamed. */
type Entries = Map<string, Entry>;

type Kind = List | "keys" | "settings";

/** The key of the one with all other fields of the data. */
const SETTINGS = keyOf("settings");
const THEIRS_REMOVED = "changed by ours, removed by theirs";
const OURS_REMOVED = "removed by ours, changed by theirs";
const MAYBE_SAME = "; whether to the same, only the key tells";

/**
 * Merges two branches of a data file, which may be sealed: what did not change keeps its sealed text.
 *
 * @param keys the content of a key file. Without it, sealed texts are compared
 * @throws UsageError for the keys; InvalidDataError as `mergeData`, and if sealed data can't be opened, or has to be
 */
export function mergeFiles(base: Data, ours: Data, theirs: Data, keys: string | undefined): Merge {
  const sides = { ours, theirs, base };
  const isSealed = ours.sealed || theirs.sealed;
  if (keys === undefined || !(isSealed || base.sealed)) {
    const forms = Object.values(sides).flatMap((side) => (side.environments.length > 0 ? side.sealed === true : []));
    if (new Set(forms).size > 1) throw keyError("only a part of base, ours and theirs is sealed");
    return mergeData(base, ours, theirs);
  }
  // A sealed file must not be replaced by a plain one, which anybody can have written.
  const sealing = new FileSealing({ keys, form: base.sealed && isSealed ? undefined : "kept" });
  const open = (side: keyof typeof sides) => withPlace(`${side}:`, () => sealing.open(sides[side]));
  const opened = { ours: open("ours"), theirs: open("theirs"), base: open("base") };
  const { data, conflicts } = mergeData(opened.base, opened.ours, opened.theirs);
  return { data: isSealed ? sealing.seal(data) : data, conflicts };
}

function keyError(reason: string): InvalidDataError {
  return new InvalidDataError(`it needs the key of --seal-key-file: ${reason}`);
}

/**
 * Merges two branches: records by their names, each field on its own. The records of `ours` keep their ids; new ones of
 * `theirs` keep theirs if they are free.
 *
 * @param base the common ancestor, or no data
 * @returns valid data, with what `ours` has wherever there is a conflict
 * @throws InvalidDataError if both together break a rule in another way: two environments with the same key; of sealed
 *   data, if a sealed text would get another name
 */
export function mergeData(base: Data, ours: Data, theirs: Data): Merge {
  const [b, o, t] = [base, ours, theirs].map((data) => entriesOf(data, base)) as [Entries, Entries, Entries];
  // Records that can't be merged, so that all of them is as in `ours`.
  const kept = new Map<string, string>();
  for (;;) {
    const { merged, conflicts } = mergeEntries(b, o, t, kept);
    const problems = findProblems(merged, b, o);
    if (problems.size === 0) {
      if (merged.get(SETTINGS)?.fields["sealed"]) checkBound(merged, o, t);
      removeUnused(merged, o, t);
      for (const [key, problem] of kept) conflicts.push({ record: labelOf(key), problem });
      const data = toData(merged, o, ours, theirs);
      return { data: checkData(withLastIds(theirs, withLastIds(ours, data))), conflicts };
    }
    for (const [key, problem] of problems) kept.set(key, problem);
  }
}

function keyOf(kind: Kind, ...names: string[]): string {
  // Names have no control characters.
  return [kind, ...names].join("\n");
}

function labelOf(key: string): string {
  const [kind, ...names] = key.split("\n");
  const text = names.join(" in ");
  return kind === "values" ? text : `${kind?.slice(0, -1)} ${text}`.trim();
}

function entriesOf(data: Data, base: Data): Entries {
  const { version: _, last_ids: _ids, environments, variables, values, ...settings } = data;
  const entries: Entries = new Map([[SETTINGS, { id: 0, owners: [], fields: settings }]]);
  const environmentNames = commonNames("environments", data, base);
  const variableNames = commonNames("variables", data, base);
  const nameIn = (names: ReadonlyMap<number, string>, id: number) => names.get(id) as string;
  for (const { id, keys = [], ...fields } of environments) {
    const name = nameIn(environmentNames, id);
    const environment = keyOf("environments", name);
    entries.set(environment, { id, owners: [], fields: grouped(fields) });
    for (const key of keys)
      entries.set(keyOf("keys", key.name, name), { id: 0, owners: [environment], fields: grouped(key) });
  }
  for (const { id, ...fields } of variables)
    entries.set(keyOf("variables", nameIn(variableNames, id)), { id, owners: [], fields });
  for (const { id, variable_id, environment_id, content } of values) {
    const [variable, environment] = [nameIn(variableNames, variable_id), nameIn(environmentNames, environment_id)];
    const owners = [keyOf("variables", variable), keyOf("environments", environment)];
    entries.set(keyOf("values", variable, environment), { id, owners, fields: { ...content } });
  }
  return entries;
}

/** The names by the ids of records. A renamed record has its name in `base`. */
function commonNames(list: "environments" | "variables", data: Data, base: Data): Map<number, string> {
  const old = new Map<number, Environment>(base[list].map((record) => [record.id, record]));
  const baseNames = new Set(base[list].map(qualifiedName));
  const ownNames = new Set(data[list].map(qualifiedName));
  return new Map(
    data[list].map((record) => {
      const name = qualifiedName(record);
      const before = old.get(record.id);
      const isNew = !before || baseNames.has(name) || ownNames.has(qualifiedName(before));
      return [record.id, isNew || !isAlike([data, base], [record, before]) ? name : qualifiedName(before)];
    }),
  );
}

/** Whether two records with the same id are one. A merge may have given the id to another. */
function isAlike(data: readonly Data[], records: readonly Environment[]): boolean {
  const isShared = ([ours = [], theirs = []]: unknown[][]) =>
    ours.some((own) => theirs.some((other) => isSame(own, other)));
  if ("api_key" in (records[0] as object))
    return isShared(records.map((each) => allKeyPairs(each as EnvironmentRecord).map(({ api_key }) => api_key)));
  const [{ application, description }, old] = records as [VariableRecord, VariableRecord];
  if (application !== old.application) return false;
  const values = data.map((each) => each.values.filter(({ variable_id }) => variable_id === old.id));
  return description === old.description || isShared(values.map((list) => list.map(({ id: _, ...value }) => value)));
}

/** The fields that a rotation changes together. */
const ROTATED = ["api_key", "api_secret", "previous", "rotated_at"];

/** With these fields as one. */
function grouped(record: object): Entry["fields"] {
  const credentials: Record<string, unknown> = {};
  const fields: Record<string, unknown> = { credentials };
  for (const [name, value] of Object.entries(record)) (ROTATED.includes(name) ? credentials : fields)[name] = value;
  return fields;
}

function ungrouped({ credentials, ...fields }: Entry["fields"]): object {
  return { ...fields, ...(credentials as object) };
}

function mergeEntries(base: Entries, ours: Entries, theirs: Entries, kept: ReadonlyMap<string, string>) {
  const merged: Entries = new Map();
  const conflicts: Conflict[] = [];
  for (const [key, { owners }] of new Map([...ours, ...theirs])) {
    const isKept = [key, ...owners].some((each) => kept.has(each));
    const own = ours.get(key);
    const report = (problem: string) => conflicts.push({ record: labelOf(key), problem });
    const entry = isKept ? own : mergeEntry(base.get(key), own, theirs.get(key), report);
    if (entry) merged.set(key, entry);
  }
  return { merged, conflicts };
}

function mergeEntry(
  base: Entry | undefined,
  ours: Entry | undefined,
  theirs: Entry | undefined,
  report: (problem: string) => void,
): Entry | undefined {
  if (ours && theirs) return { ...ours, fields: mergeFields(base?.fields ?? {}, ours.fields, theirs.fields, report) };
  const present = ours ?? theirs;
  if (!base) return present;
  if (isSame(base.fields, present?.fields)) return undefined;
  report(ours ? THEIRS_REMOVED : OURS_REMOVED);
  return ours;
}

function mergeFields(
  base: Entry["fields"],
  ours: Entry["fields"],
  theirs: Entry["fields"],
  report: (problem: string) => void,
): Entry["fields"] {
  const names = Object.keys({ ...ours, ...theirs });
  const merged = names.map((name) => {
    const [before, own, other] = [base[name], ours[name], theirs[name]];
    if (isSame(before, own)) return [name, other];
    if (!isSame(before, other) && !isSame(own, other))
      report(`${name}: changed by both${isSealedText(own) && isSealedText(other) ? MAYBE_SAME : ""}`);
    return [name, own];
  });
  return Object.fromEntries(merged);
}

/** Records that don't go with others, and why. To take those of `ours` mends it. */
function findProblems(merged: Entries, base: Entries, ours: Entries): Map<string, string> {
  const problems = new Map<string, string>();
  const named = new Map<string, string>();
  for (const [key, { owners, fields }] of merged) {
    const { application, name, value } = fields;
    for (const owner of owners.filter((each) => !merged.has(each))) {
      // One of a variable that is kept, in an environment that is not.
      if (isSame(base.get(key)?.fields, fields)) merged.delete(key);
      else problems.set(owner, ours.has(owner) ? THEIRS_REMOVED : OURS_REMOVED);
    }
    const [variable = ""] = owners;
    const type = merged.get(variable)?.fields["type"];
    if (type !== undefined && !isSealedText(value) && !valueFitsType(value, type as VariableType))
      problems.set(variable, "type: changed by one, a value by the other");
    if (name === undefined || owners.length > 0) continue;
    const full = `${key.slice(0, key.indexOf("\n"))} ${application}/${name}`;
    const others = [key, named.get(full) ?? key].filter((each) => ours.get(each)?.fields["name"] !== name);
    if (named.has(full)) for (const each of others) problems.set(each, "name: given to another by ours");
    named.set(full, key);
  }
  return problems;
}

/** Where a sealed text can be opened, and whether it is one, and valid. */
const BINDING = ["application", "name", "type", "secret"];

/** @throws InvalidDataError if a secret of a sealed file is neither as in `ours` nor as in `theirs`, under the same name */
function checkBound(merged: Entries, ours: Entries, theirs: Entries): void {
  for (const [key, { owners, fields }] of merged) {
    const isSameIn = (side: Entries, each: string, names: readonly string[]) =>
      names.every((name) => isSame(merged.get(each)?.fields[name], side.get(each)?.fields[name]));
    const isBoundIn = (side: Entries) =>
      isSameIn(side, key, [...BINDING, "value", "credentials"]) &&
      owners.every((each) => isSameIn(side, each, BINDING));
    const [variable = ""] = owners;
    const isPublic = merged.get(variable)?.fields["secret"] === false && !isSealedText(fields["value"]);
    const isSecret = "credentials" in fields || ("value" in fields && !isPublic);
    if (isSecret && ![ours, theirs].some(isBoundIn))
      throw keyError(
        `one branch has changed ${labelOf(key)}, and the other its name, its type or whether it is public`,
      );
  }
}

/** Removes definitions whose last values were unset, some by each side. */
function removeUnused(merged: Entries, ours: Entries, theirs: Entries): void {
  const used = (entries: Entries) => new Set([...entries.values()].map(({ owners: [variable] }) => variable));
  const [now, before, other] = [used(merged), used(ours), used(theirs)];
  for (const key of merged.keys()) if (!now.has(key) && before.has(key) && other.has(key)) merged.delete(key);
}

function toData(merged: Entries, ours: Entries, data: Data, theirs: Data): Data {
  const of = (kind: Kind) => [...merged].filter(([key]) => key.startsWith(`${kind}\n`));
  const ids = new Map<string, number>();
  for (const list of LISTS) {
    const first = nextId(data, list);
    let free = Math.max(first, nextId(theirs, list));
    for (const [key, { id }] of of(list)) ids.set(key, ours.has(key) || id >= first ? id : free++);
  }
  const keys = new Map<string, object[]>();
  for (const [, { owners, fields }] of of("keys"))
    for (const owner of owners) keys.set(owner, [...(keys.get(owner) ?? []), ungrouped(fields)]);
  const recordsOf = (list: List) =>
    of(list).map(([key, { fields }]) => {
      return { id: ids.get(key), ...ungrouped(fields), ...(keys.has(key) && { keys: keys.get(key) }) };
    });
  const values = of("values").map(([key, { owners, fields: content }]) => {
    const [variable_id, environment_id] = owners.map((owner) => ids.get(owner));
    return { id: ids.get(key), variable_id, environment_id, content };
  });
  const { version, last_ids } = data;
  const lists = { environments: recordsOf("environments"), variables: recordsOf("variables"), values };
  return { ...merged.get(SETTINGS)?.fields, version, ...(last_ids && { last_ids }), ...lists } as unknown as Data;
}
