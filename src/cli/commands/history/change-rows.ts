import { type Environment, qualifiedName } from "../../../domain/environment.js";
import { type JsonValue, valueText } from "../../../domain/variable.js";
import type { Data, ValueRecord, VariableRecord } from "../../../store/data.js";
import { idOf } from "../../../store/history.js";
import type { RecordChange } from "../../../store/record-changes.js";

/** What a change did to a value, a definition, an environment or its credentials. */
export interface ChangeRow {
  readonly kind: "added" | "removed" | "changed" | "rotated";
  readonly what: "value" | "definition" | "environment" | "credentials";
  readonly application: string;
  /** Absent for a definition. */
  readonly environment?: string | undefined;
  /** Of a variable. */
  readonly name?: string | undefined;
  /** Absent if there was none, and for credentials. */
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
}

/** Knows the names of records as they were at the time of a change. Changes are told to it newest first. */
export class ChangeNames {
  readonly #environments: Map<number, Environment>;
  readonly #variables: Map<number, VariableRecord>;

  constructor({ environments, variables }: Pick<Data, "environments" | "variables">) {
    this.#environments = new Map(environments.map((environment) => [environment.id, environment]));
    this.#variables = new Map(variables.map((variable) => [variable.id, variable]));
  }

  /** The rows of a change. A definition that came or went with a value has none. */
  rowsOf(changes: readonly RecordChange[]): ChangeRow[] {
    this.#learn(changes.filter(({ after }) => !after));
    const values = changes.filter(({ list }) => list === "values");
    const withValue = new Set(values.map((change) => ((change.after ?? change.before) as ValueRecord).variable_id));
    const isShown = (change: RecordChange) =>
      change.list !== "variables" || (change.before && change.after) || !withValue.has(idOf(change));
    const rows = changes.filter(isShown).map((change) => this.#rowOf(change));
    this.#learn(changes);
    return rows;
  }

  #learn(changes: readonly RecordChange[]): void {
    for (const { list, before } of changes) {
      if (before && list === "environments") this.#environments.set(before.id, before as Environment);
      if (before && list === "variables") this.#variables.set(before.id, before as VariableRecord);
    }
  }

  #rowOf({ list, before, after }: RecordChange): ChangeRow {
    const record = after ?? before;
    if (list === "environments") return environmentRow(before as Environment | null, after as Environment | null);
    if (list === "variables") {
      const { application, name } = record as VariableRecord;
      return { ...rowOf("definition", before, after, definitionOf), application, name };
    }
    const { environment_id, variable_id } = record as ValueRecord;
    const { application = "", name: environment } = this.#environments.get(environment_id) ?? {};
    const name = this.#variables.get(variable_id)?.name;
    const row = rowOf("value", before, after, (each) => (each as ValueRecord).content.value);
    return { ...row, application, environment, name };
  }
}

/** If not even its name has changed, its credentials have. */
function environmentRow(before: Environment | null, after: Environment | null): ChangeRow {
  const { application = "", name: environment } = after ?? before ?? {};
  const isRotated = before && after && qualifiedName(before) === qualifiedName(after);
  if (isRotated) return { kind: "rotated", what: "credentials", application, environment };
  const row = rowOf("environment", before, after, (each) => qualifiedName(each as Environment));
  return { ...row, application, environment };
}

function definitionOf(record: object): JsonValue {
  const { id: _, application: __, ...definition } = record as VariableRecord;
  return definition as unknown as JsonValue;
}

function rowOf(
  what: ChangeRow["what"],
  before: object | null,
  after: object | null,
  text: (record: object) => JsonValue,
) {
  const kind = before ? (after ? ("changed" as const) : ("removed" as const)) : ("added" as const);
  return { kind, what, ...(before && { before: text(before) }), ...(after && { after: text(after) }) };
}

/** The headings of {@link cellsOf}. @param values whether to show values */
export function headingsFor(values: boolean): string[] {
  return ["ENVIRONMENT", "NAME", "CHANGE", ...(values ? ["BEFORE", "AFTER"] : [])];
}

/** `shop/development`, `PORT` and `changed`; then the values, undefined where there is none. */
export function cellsOf(row: ChangeRow, values: boolean): (string | undefined)[] {
  const { kind, what, application, environment, name, before, after } = row;
  const place = environment === undefined ? application : qualifiedName({ application, name: environment });
  const shown = [before, after].map((side) => (side === undefined ? undefined : valueText(side)));
  return [place, name, what === "value" ? kind : `${what} ${kind}`, ...(values ? shown : [])];
}

/** For `--json`. */
export function rowJson({ before, after, ...row }: ChangeRow, values: boolean): object {
  return values || row.what !== "value" ? { ...row, before, after } : row;
}
