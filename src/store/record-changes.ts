import { ANYTHING, isObject, rule } from "../kit/text/rules.js";
import { byId, type Data, LISTS, type List } from "./data.js";

/** Lists of which only the ids matter. */
export type Records = Readonly<Record<List, readonly { readonly id: number }[]>>;

/**
 * A record before and after a change; null where there is none. At least one is there, and both
 * have the same id.
 */
export interface RecordChange {
  readonly list: List;
  readonly before: { readonly id: number } | null;
  readonly after: { readonly id: number } | null;
}

const hasId = (input: unknown) => isObject(input) && Number.isSafeInteger(input["id"]);

/** A record of which only the id is checked. */
export const RECORD = rule({ problem: (input) => (hasId(input) ? undefined : "has no id") });
const side = rule({ choose: (input) => (input === null ? ANYTHING : RECORD) });

/** The form of a {@link RecordChange}, whose records are not checked. */
export const RECORD_CHANGE = rule({
  fields: { list: rule({ oneOf: LISTS }), before: side, after: side },
});

export function idOf({ before, after }: RecordChange): number {
  return (after ?? before)?.id ?? 0;
}

/** The changes from one version of the data to the next. Quick if most records are the same objects. */
export function changesBetween(data: Records, next: Records): RecordChange[] {
  return LISTS.flatMap((list) => {
    const replaced = new Map<number, { readonly id: number }>();
    for (const [index, old] of data[list].entries())
      if (old !== next[list][index]) replaced.set(old.id, old);
    const changes: RecordChange[] = [];
    for (const [index, after] of next[list].entries()) {
      if (after === data[list][index]) continue;
      const before = replaced.get(after.id) ?? null;
      replaced.delete(after.id);
      if (!isSameRecord(before, after)) changes.push({ list, before, after });
    }
    for (const before of replaced.values()) changes.push({ list, before, after: null });
    return changes;
  });
}

/** Whether both would be the same in a file, apart from the order of their records. */
export function isSameData(data: Data, other: Data): boolean {
  const fields = ({ $schema, last_ids, history }: Data) =>
    JSON.stringify([$schema, last_ids, history]);
  return fields(data) === fields(other) && changesBetween(data, other).length === 0;
}

/** All records after changes, which are not checked. @param changes oldest first */
export function recordsAfter<T extends Records>(
  data: T,
  changes: readonly RecordChange[],
): Pick<T, List> {
  const after = <L extends List>(list: L) => {
    const records = new Map(data[list].map((record) => [record.id, record]));
    for (const { before, after } of changes.filter((change) => change.list === list)) {
      if (after) records.set(after.id, after);
      else records.delete(before?.id ?? 0);
    }
    return [...records.values()] as unknown as T[L];
  };
  return {
    environments: after("environments"),
    variables: after("variables"),
    values: after("values"),
  };
}

export function sortedById(data: Data): Data {
  return {
    ...data,
    environments: data.environments.toSorted(byId),
    variables: data.variables.toSorted(byId),
    values: data.values.toSorted(byId),
  };
}

/** @param a has the fields of a checked record in the same order, and so has `b` */
export function isSameRecord(a: object | null, b: object | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
