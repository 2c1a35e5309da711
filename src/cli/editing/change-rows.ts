import { type Environment, qualifiedName } from "../../domain/environment.js";
import { isPublic, type JsonValue, valueText } from "../../domain/variable.js";
import type { Data, ValueRecord, VariableRecord } from "../../store/data.js";
import { idOf, recordedData } from "../../store/history.js";
import { changesBetween, type RecordChange } from "../../store/record-changes.js";
import { type Context, printTable } from "../output/context.js";
import { HIDDEN } from "../settings/setting-table.js";

/** What a change did to a value, a definition, an environment or its credentials. */
export interface ChangeRow {
  readonly kind: "added" | "removed" | "changed" | "rotated";
  readonly what: "value" | "definition" | "environment" | "credentials";
  readonly application: string;
  /** Undefined for a definition. */
  readonly environment: string | undefined;
  /** Of a variable. */
  readonly name?: string | undefined;
  /** Undefined if there was none, if it is hidden, and for credentials. */
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** Makes the rows of changes, which are told to it newest first. */
export class ChangeRows {
  /** By list and id, as they were after the change. */
  readonly #known = new Map<string, object>();
  /** Variables that have been public ever since. */
  readonly #open = new Set<number>();
  readonly #values: boolean;

  /** @param data after the newest change @param values whether to show values that are not public */
  constructor({ environments, variables }: Data, values: boolean) {
    for (const record of environments) this.#known.set(`environments ${record.id}`, record);
    for (const record of variables) this.#known.set(`variables ${record.id}`, record);
    for (const record of variables) if (isPublic(record)) this.#open.add(record.id);
    this.#values = values;
  }

  /** The rows of a change. A definition that came or went with a value has none. */
  of(changes: readonly RecordChange[]): ChangeRow[] {
    for (const { list, before } of changes)
      if (list === "variables" && before && !isPublic(before as VariableRecord)) this.#open.delete(before.id);
    this.#takeBack(changes.filter(({ after }) => !after));
    const values = changes.filter(({ list }) => list === "values");
    const withValue = new Set(values.map((change) => ((change.after ?? change.before) as ValueRecord).variable_id));
    const isListed = (change: RecordChange) =>
      change.list !== "variables" || (change.before && change.after) || !withValue.has(idOf(change));
    const rows = changes.filter(isListed).map((change) => this.#row(change));
    this.#takeBack(changes);
    return rows;
  }

  #takeBack(changes: readonly RecordChange[]): void {
    for (const { list, before } of changes)
      if (before && list !== "values") this.#known.set(`${list} ${before.id}`, before);
  }

  #row({ list, before, after }: RecordChange): ChangeRow {
    const record = after ?? before;
    const kind = before ? (after ? "changed" : "removed") : "added";
    const sides = (show: (record: never) => unknown) =>
      ({
        ...(before && { before: show(before as never) }),
        ...(after && { after: show(after as never) }),
      }) as Pick<ChangeRow, "before" | "after">;
    if (list === "environments") {
      const { application, name: environment } = record as Environment;
      const names = sides(qualifiedName);
      if (names.before === names.after) return { kind: "rotated", what: "credentials", application, environment };
      return { kind, what: "environment", application, environment, ...names };
    }
    if (list === "variables") {
      const { application, name } = record as VariableRecord;
      const definitions = sides(({ id: _, application: __, ...definition }: VariableRecord) => definition);
      return { kind, what: "definition", application, environment: undefined, name, ...definitions };
    }
    const { environment_id, variable_id } = record as ValueRecord;
    const { application = "", name: environment } = (this.#known.get(`environments ${environment_id}`) ??
      {}) as Partial<Environment>;
    const { name } = (this.#known.get(`variables ${variable_id}`) ?? {}) as Partial<VariableRecord>;
    const isShown = this.#values || this.#open.has(variable_id);
    const contents = isShown && sides(({ content }: ValueRecord) => content.value);
    return { kind, what: "value", application, environment, name, ...contents };
  }
}

/** The rows of the changes from one version of the data to the next. */
export function rowsBetween(data: Data, changed: Data, values: boolean): ChangeRow[] {
  const [before, after] = [recordedData(data), recordedData(changed)];
  return new ChangeRows(changed, values).of(changesBetween(before, after, after));
}

/** The columns for rows. Those of values are left out if none is shown. */
export function columnsOf(rows: readonly ChangeRow[], values: boolean) {
  const hasValues = values || rows.some(({ what, ...row }) => what === "value" && ("before" in row || "after" in row));
  const text = (value: JsonValue | undefined, row: ChangeRow, none: ChangeRow["kind"]) => {
    if (value !== undefined) return valueText(value);
    return row.what === "value" && row.kind !== none ? HIDDEN : undefined;
  };
  return {
    headings: ["ENVIRONMENT", "NAME", "CHANGE", ...(hasValues ? ["BEFORE", "AFTER"] : [])],
    cells(row: ChangeRow): (string | undefined)[] {
      const { kind, what, application, environment, name, before, after } = row;
      const place = environment === undefined ? application : qualifiedName({ application, name: environment });
      const change = what === "value" ? kind : `${what} ${kind}${formerName(row)}`;
      return [place, name, change, ...(hasValues ? [text(before, row, "added"), text(after, row, "removed")] : [])];
    },
  };
}

/** Of an environment or a variable that was renamed. */
function formerName({ kind, what, name, before }: ChangeRow): string {
  const former = what === "environment" ? before : (before as { name?: JsonValue } | undefined)?.name;
  return kind === "changed" && former !== name ? ` (was ${former})` : "";
}

/** @param empty noted if there are no rows */
export async function printChanges(rows: readonly ChangeRow[], values: boolean, context: Context, empty: string) {
  const { headings, cells } = columnsOf(rows, values);
  await printTable(context, { json: rows, headings, rows: rows.map(cells), empty });
}
