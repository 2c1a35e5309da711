import type { JsonValue } from "../../kit/text/strict-json.js";
import {
  type Environment,
  type EnvironmentName,
  type EnvironmentRecord,
  findEnvironment,
  qualifiedName,
} from "../../model/environment.js";
import { isPublic } from "../../model/variable.js";
import type { Data, ListName, ValueRecord, VariableRecord } from "../data.js";
import {
  changesBetween,
  type History,
  idOf,
  type RecordChange,
  type RecordedEnvironment,
  type RecordedWrite,
  recordedData,
} from "../history.js";

/** The effect of a change on one thing. */
export interface ChangeRow {
  readonly kind: "added" | "removed" | "changed" | "rotated";
  readonly what: "value" | "definition" | "environment" | "credentials" | "key";
  readonly application: string;
  /** `undefined` for a definition, which all environments share. */
  readonly environment: string | undefined;
  /** The name of the variable. */
  readonly name?: string | undefined;
  readonly key?: string;
  /** `undefined` if there is none to show, and for credentials and keys. */
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** Makes rows of changes. Call `of` with the newest change first. */
class ChangeRows {
  /** The records after the change, by list and id. */
  readonly #records = new Map<string, object>();
  /** Variables that have been public ever since the change. */
  readonly #public: Set<number>;
  readonly #showValues: boolean;

  /** @param showValues whether to show values that are not public */
  constructor({ environments, variables }: Data, showValues: boolean) {
    for (const record of environments) this.#keep("environments", record);
    for (const record of variables) this.#keep("variables", record);
    this.#public = new Set(variables.filter(isPublic).map(({ id }) => id));
    this.#showValues = showValues;
  }

  /** Returns rows; omits definitions added or removed with a value. */
  of(changes: readonly RecordChange[]): ChangeRow[] {
    const withValue = new Set<number>();
    for (const { list, before, after } of changes) {
      if (!after) this.#keep(list, before);
      if (list === "values") withValue.add(((after ?? before) as ValueRecord).variable_id);
      if (list === "variables" && before && !isPublic(before as VariableRecord))
        this.#public.delete(before.id);
    }
    const listed = changes.filter(
      (change) =>
        change.list !== "variables" ||
        (change.before && change.after) ||
        !withValue.has(idOf(change)),
    );
    const rows = listed.flatMap((change) => this.#rows(change));
    for (const { list, before } of changes) this.#keep(list, before);
    return rows;
  }

  #keep(list: ListName, record: RecordChange["before"]): void {
    if (record && list !== "values") this.#records.set(`${list} ${record.id}`, record);
  }

  #rows({ list, before, after }: RecordChange): ChangeRow[] {
    const record = (after ?? before) as Environment & VariableRecord & ValueRecord;
    const find = (of: ListName, id: number) =>
      (of === list ? record : this.#records.get(`${of} ${id}`)) as typeof record;
    const environment = find("environments", record.environment_id);
    const { application } = environment ?? record;
    const name = list === "environments" ? undefined : find("variables", record.variable_id)?.name;
    const isShown = list !== "values" || this.#showValues || this.#public.has(record.variable_id);
    const [from, to] = [before, after].map((side) =>
      side && isShown ? shownPart(list, side) : undefined,
    );
    const kind = before ? (after ? "changed" : "removed") : "added";
    const names = { application, environment: environment?.name, name };
    const row: ChangeRow = { kind, what: WHAT[list], ...names, before: from, after: to };
    if (list !== "environments" || !before || !after) return [row];
    const [old, current] = [before, after] as [RecordedEnvironment, RecordedEnvironment];
    const rows: ChangeRow[] = from === to ? [] : [row];
    if (old.credentials !== current.credentials)
      rows.push({ kind: "rotated", what: "credentials", ...names });
    for (const [key, kind] of keyChanges(old.keys, current.keys))
      rows.push({ kind, what: "key", ...names, key });
    return rows;
  }
}

function* keyChanges(
  old: RecordedEnvironment["keys"] = [],
  current: RecordedEnvironment["keys"] = [],
): Generator<[key: string, ChangeRow["kind"]]> {
  for (const key of new Set([...old, ...current].map(({ name }) => name))) {
    const [before, after] = [old, current].map((keys) => keys.find(({ name }) => name === key));
    if (!before || !after) yield [key, before ? "removed" : "added"];
    else if (before.credentials !== after.credentials) yield [key, "rotated"];
    else if (JSON.stringify(before) !== JSON.stringify(after)) yield [key, "changed"];
  }
}

const WHAT = { environments: "environment", variables: "definition", values: "value" } as const;

function shownPart(list: ListName, record: object): JsonValue {
  if (list === "environments") return qualifiedName(record as Environment);
  if (list === "values") return (record as ValueRecord).content.value;
  const { id: _, application: __, ...definition } = record as VariableRecord;
  return definition as unknown as JsonValue;
}

export function rowsBetween(data: Data, changed: Data, showValues: boolean): ChangeRow[] {
  return new ChangeRows(changed, showValues).of(
    changesBetween(recordedData(data), recordedData(changed)),
  );
}

/** Returns the names of the variable, also the one before a rename. */
export function namesOfRow({ what, name, before }: ChangeRow): string[] {
  const former = what === "definition" ? (before as { name: string } | undefined)?.name : undefined;
  return [name, former].filter((each) => each !== undefined);
}

interface ListOptions {
  /** The name of a variable, now or before. */
  name: string | undefined;
  env: string | undefined;
  /** The largest number of changes. */
  limit: number | undefined;
  /** Whether to show values that are not public. */
  showValues: boolean;
}

type ListedChange = Omit<RecordedWrite, "changes"> & { changes: ChangeRow[] };

/**
 * Lists changes, newest first.
 *
 * @throws NotFoundError for one that never existed
 */
export async function listChanges(
  { data, writes }: History,
  { name, env, limit, showValues }: ListOptions,
): Promise<ListedChange[]> {
  const listed: ListedChange[] = [];
  const rows = new ChangeRows(data, showValues);
  const isListed = rowFilter(name, env, data.environments);
  for await (const write of writes) {
    if (limit !== undefined && listed.length >= limit) break;
    const changes = rows.of(write.changes).filter(isListed);
    if (changes.length > 0) listed.push({ ...write, changes });
  }
  if (env !== undefined && listed.length === 0) findEnvironment(data.environments, env);
  return listed;
}

/** Finds the last change of a value. */
export async function lastChangeOf(valueId: number, { writes }: History) {
  for await (const { changes, ...write } of writes)
    if (changes.some(({ list, after }) => list === "values" && after?.id === valueId)) return write;
  return undefined;
}

/**
 * Selects rows by a variable and an environment, which may have been removed or
 * renamed. A definition belongs to all environments of its application.
 */
function rowFilter(
  name: string | undefined,
  env: string | undefined,
  environments: readonly EnvironmentRecord[],
) {
  const isNamed = (environment: EnvironmentName) =>
    environment.name === env || qualifiedName(environment) === env;
  const current =
    env !== undefined && environments.some(isNamed)
      ? findEnvironment(environments, env)
      : undefined;
  const isOfEnv = ({ application, environment }: ChangeRow) =>
    (!current || application === current.application) &&
    (environment === undefined ? current : isNamed({ application, name: environment }));
  return (row: ChangeRow) =>
    (name === undefined || namesOfRow(row).includes(name)) && (env === undefined || isOfEnv(row));
}
