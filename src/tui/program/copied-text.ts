import { UsageError } from "../../domain/errors.js";
import { isReservedName } from "../../domain/reserved-names.js";
import { namedValues, type VariableEntry } from "../../domain/source.js";
import { valueText } from "../../domain/variable.js";
import type { CopyFormat } from "../state/copy-formats.js";
import type { OpenPlace, WriteValues, Written } from "../state/ports.js";
import { countText } from "../text/line.js";
import { RESERVED_WARNING } from "../view/record-panel.js";

/** Names a copied text in a notice: `PORT`, `the command for PORT`, `12 variables as yaml`. */
export function copiedName(entries: readonly VariableEntry[], format: CopyFormat): string {
  const copied = format === "name" ? entries : entries.filter(({ value }) => value !== undefined);
  // Without any value, the notice says why nothing is copied.
  const [first, ...others] = copied.length > 0 ? copied : entries;
  const names = first && others.length === 0 ? first.variable.name : `${countText(others.length + 1)} variables`;
  switch (format) {
    case "value":
      return names;
    case "name":
      return `the name${others.length === 0 ? "" : "s"} of ${names}`;
    case "command":
      return `the command for ${names}${warning(entries)}`;
    case "name=value":
      return `${names} as ${format}${warning(entries)}`;
    default:
      return `${names} as ${format}`;
  }
}

function warning(entries: readonly VariableEntry[]): string {
  return entries.some(({ variable }) => isReservedName(variable.name)) ? ` (${RESERVED_WARNING})` : "";
}

/** The types, which a `.env` file begins with, for `import`. */
const TYPE_COMMENTS = /^(?:#.*\n)+/;

/** @throws UsageError, DecryptionError */
export async function copiedText(
  entries: readonly VariableEntry[],
  format: CopyFormat,
  { decrypt, getCommand }: Pick<OpenPlace, "decrypt" | "getCommand">,
  write: WriteValues,
): Promise<Written> {
  if (format === "name") return { text: entries.map(({ variable }) => variable.name).join("\n") };
  const values = namedValues(entries);
  if (values.length === 0) throw new UsageError("there is no value");
  if (format === "command") return { text: values.map(({ name }) => getCommand(name)).join("\n") };
  if (format === "value") return { text: values.map(({ name, value }) => valueText(decrypt(name, value))).join("\n") };
  if (format !== "name=value") return write(format, values, { decrypt, allowReserved: false });
  // These were chosen one by one.
  const { text, note } = await write("dotenv", values, { decrypt, allowReserved: true });
  return { text: text.replace(TYPE_COMMENTS, "").trimEnd(), note };
}
