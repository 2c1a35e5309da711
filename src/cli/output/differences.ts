import type { Difference } from "../../model/differing-values.js";
import { valueText } from "../../model/variable.js";
import { type Context, print } from "./context.js";

const SIGNS = { added: "+", removed: "-", changed: "~" };

export async function printDifferences(
  differences: readonly Difference[],
  values: boolean,
  context: Context,
): Promise<void> {
  await print(context, {
    json: differences.map((difference) => toJson(difference, values)),
    rows: differences.map((difference) => fields(difference, values)),
    lines: ({ green, red, yellow }) => {
      const styles = { added: green, removed: red, changed: yellow };
      return differences.map((difference) => ({
        text: line(difference, values),
        style: styles[difference.kind],
      }));
    },
  });
}

function toJson({ kind, name, before, after }: Difference, values: boolean): object {
  const types = {
    ...(before && { type_before: before.type }),
    ...(after && { type_after: after.type }),
  };
  if (!values) return { kind, name, ...types };
  return {
    kind,
    name,
    ...types,
    ...(before && { before: before.value }),
    ...(after && { after: after.value }),
  };
}

/** Kind, name, old and new value, for a program. */
function fields({ kind, name, before, after }: Difference, values: boolean): string[] {
  const texts = values ? [before, after].map((item) => (item ? valueText(item.value) : "")) : [];
  return [kind, name, ...texts];
}

/** `~ NAME  old -> new` for a person. */
function line({ kind, name, before, after }: Difference, values: boolean): string {
  const types =
    before && after && before.type !== after.type ? ` (${before.type} -> ${after.type})` : "";
  const shown = [before, after].flatMap((item) => (item ? [valueText(item.value)] : []));
  return `${SIGNS[kind]} ${name}${types}${values ? `  ${shown.join(" -> ")}` : ""}`;
}
