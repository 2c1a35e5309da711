import type { JsonValue } from "../../kit/text/strict-json.js";
import { qualifiedName } from "../../model/environment.js";
import { valueText } from "../../model/variable.js";
import type { Data } from "../../store/data.js";
import type { ChangeRow } from "../../store/edits/change-rows.js";
import { HIDDEN } from "../../tasks/settings/setting-table.js";
import { type Printer, printTable } from "./output.js";

export async function printPreview(
  before: Data,
  after: Data,
  showValues: boolean,
  printer: Printer,
): Promise<void> {
  const { rowsBetween } = await import("../../store/edits/change-rows.js");
  await printChanges(
    rowsBetween(before, after, showValues),
    showValues,
    printer,
    "nothing would change",
  );
}

/** @param empty noted if there are no rows */
export async function printChanges(
  rows: readonly ChangeRow[],
  showValues: boolean,
  printer: Printer,
  empty: string,
): Promise<void> {
  const { headings, cells } = columnsOf(rows, showValues);
  await printTable(printer, { json: rows, headings, rows: rows.map(cells), empty });
}

/** Returns the columns for rows; BEFORE and AFTER only if a value is shown. */
export function columnsOf(rows: readonly ChangeRow[], showValues: boolean) {
  const isShown = ({ what, before, after }: ChangeRow) =>
    what === "value" && [before, after].some((side) => side !== undefined);
  const hasValues = showValues || rows.some(isShown);
  const text = (
    value: JsonValue | undefined,
    { what, kind }: ChangeRow,
    none: ChangeRow["kind"],
  ) => {
    if (value !== undefined) return valueText(value);
    return what === "value" && kind !== none ? HIDDEN : undefined;
  };
  return {
    headings: ["ENVIRONMENT", "NAME", "CHANGE", ...(hasValues ? ["BEFORE", "AFTER"] : [])],
    cells(row: ChangeRow): (string | undefined)[] {
      const { kind, what, application, environment, name, key, before, after } = row;
      const where =
        environment === undefined ? application : qualifiedName({ application, name: environment });
      const subject = key === undefined ? what : `${what} "${key}"`;
      const change = what === "value" ? kind : `${subject} ${kind}${formerName(row)}`;
      const cells = [where, name, change];
      return hasValues
        ? [...cells, text(before, row, "added"), text(after, row, "removed")]
        : cells;
    },
  };
}

function formerName({ kind, what, name, before }: ChangeRow): string {
  const former =
    what === "environment" ? before : (before as { name?: JsonValue } | undefined)?.name;
  return kind === "changed" && former !== name ? ` (was ${former})` : "";
}
