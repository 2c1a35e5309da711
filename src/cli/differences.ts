import type { Difference } from "../domain/diff.js";
import { escapeControls } from "../domain/escape-controls.js";
import { valueText } from "../domain/variable.js";
import type { Colors } from "./colors.js";
import type { Context } from "./context.js";
import { escapeField } from "./escape.js";

const SIGNS = { added: "+", removed: "-", changed: "~" };

/** Prints a line for each difference; the values only where they are asked for. */
export async function printDifferences(
  differences: readonly Difference[],
  values: boolean,
  context: Context,
): Promise<void> {
  if (context.flags.json) return context.printJson(differences.map((difference) => toJson(difference, values)));
  if (!context.io.stdout.isTTY) return context.print(differences.map((item) => `${fields(item, values)}\n`).join(""));
  const colors = await context.colors();
  for (const difference of differences) context.print(`${line(difference, values, colors)}\n`);
}

function toJson({ kind, name, before, after }: Difference, values: boolean): object {
  const types = { ...(before && { type_before: before.type }), ...(after && { type_after: after.type }) };
  if (!values) return { kind, name, ...types };
  return { kind, name, ...types, ...(before && { before: before.value }), ...(after && { after: after.value }) };
}

/** `changed\tNAME\told\tnew` for a program. */
function fields({ kind, name, before, after }: Difference, values: boolean): string {
  const texts = values ? [before, after].map((item) => (item ? escapeField(valueText(item.value)) : "")) : [];
  return [kind, name, ...texts].join("\t");
}

/** `~ NAME  old -> new` for a person. */
function line({ kind, name, before, after }: Difference, values: boolean, colors: Colors): string {
  const paint = { added: colors.green, removed: colors.red, changed: colors.yellow }[kind];
  const types = before && after && before.type !== after.type ? ` (${before.type} -> ${after.type})` : "";
  const shown = [before, after].flatMap((item) => (item ? [escapeControls(valueText(item.value))] : []));
  return paint(`${SIGNS[kind]} ${name}${types}${values ? `  ${shown.join(" -> ")}` : ""}`);
}
