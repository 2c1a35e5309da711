import type { ExportFormat } from "../../formats/formats.js";
import { UsageError } from "../../kit/text/errors.js";
import { namedValues } from "../../model/reads/variable-entries.js";
import { isReservedName } from "../../model/reserved-names.js";
import { valueText } from "../../model/variable.js";
import { withEffects, withFailure } from "../state/effects.js";
import type { CopyOutcome, OpenPlace, WriteValues, WrittenText } from "../state/ports.js";
import type { Entries } from "../state/readings.js";
import { type Effect, type Next, notify, type State, type Tools } from "../state/state.js";
import { countOf } from "../text/line.js";

/** The formats for selected variables, with their help. */
export const SELECTED_FORMATS = [
  ["value", "the plain value, even if masked"],
  ["name=value", "a line of a .env file"],
  ["json", 'an object: {"PORT": …}'],
  ["name", "the name alone"],
  ["command", "a shell command that prints the value"],
] as const;

export type CopyFormat = (typeof SELECTED_FORMATS)[number][0] | ExportFormat;

/** Warns users who copy the value to a shell by hand. */
export const RESERVED_WARNING = "reserved: run and export omit it";

export function copyEntries(
  state: State,
  place: number,
  entries: Entries,
  format: CopyFormat,
): State {
  const where = place === state.place ? "" : ` of ${state.places[place]?.name}`;
  const nameOf = (copied: typeof entries) => `${copiedName(copied, format)}${where}`;
  return copyText(state, nameOf(entries), async ({ places, write }) => {
    const { leftOut = [], ...copied } = await copiedText(
      entries,
      format,
      await places.open(place),
      write,
    );
    return {
      ...copied,
      label: nameOf(entries.filter(({ variable }) => !leftOut.includes(variable.name))),
    };
  });
}

type Copied = Pick<WrittenText, "text" | "note"> & { readonly label?: string };

/**
 * @param label names the text in the notice, unless `textOf` returns a more
 *   precise name
 */
export function copyText(
  state: State,
  label: string,
  textOf: (tools: Tools) => Promise<Copied>,
): State {
  const copy: Effect = async (tools) => {
    const { text, ...about } = await textOf(tools);
    return copied({ label, ...about }, await tools.copy(text));
  };
  return withEffects(
    state,
    withFailure(copy, ({ message: reason }) => copied({ label }, { kind: "failed", reason })),
  );
}

function copied({ label, note }: Omit<Copied, "text">, outcome: CopyOutcome): Next {
  const end = note === undefined ? "" : `; ${note}`;
  return (state) => {
    if (outcome.kind === "failed")
      return notify(state, `can't copy ${label}: ${outcome.reason}`, "error");
    if (outcome.kind === "clipboard")
      return notify(state, `copied ${label} to the clipboard${end}`, "success");
    return notify(
      state,
      `sent ${label} to the terminal's clipboard (OSC 52): ${outcome.reason}${end}`,
    );
  };
}

/**
 * Names a copied text in a notice: `PORT`, `the command for PORT`,
 * `12 variables as yaml`.
 */
function copiedName(entries: Entries, format: CopyFormat): string {
  const copied = format === "name" ? entries : entries.filter(({ value }) => value !== undefined);
  // Without any value, the notice says why nothing was copied.
  const [first, ...others] = copied.length > 0 ? copied : entries;
  const names =
    first && others.length === 0 ? first.variable.name : countOf(others.length + 1, "variable");
  const isReserved = entries.some(({ variable }) => isReservedName(variable.name));
  const warning = isReserved ? ` (${RESERVED_WARNING})` : "";
  if (format === "value") return names;
  if (format === "name") return `the name${others.length === 0 ? "" : "s"} of ${names}`;
  if (format === "command") return `the command for ${names}${warning}`;
  return `${names} as ${format}${format === "name=value" ? warning : ""}`;
}

/** The comments of a `.env` file that tell `import` the types. */
const TYPE_COMMENTS = /^(?:#.*\n)+/;

/** @throws UsageError, DecryptionError */
async function copiedText(
  entries: Entries,
  format: CopyFormat,
  { decrypt, getCommand }: Pick<OpenPlace, "decrypt" | "getCommand">,
  write: WriteValues,
): Promise<WrittenText> {
  if (format === "name") return { text: entries.map(({ variable }) => variable.name).join("\n") };
  const values = namedValues(entries);
  if (values.length === 0) throw new UsageError("there is no value");
  if (format === "command") return { text: values.map(({ name }) => getCommand(name)).join("\n") };
  if (format === "value")
    return { text: values.map(({ name, value }) => valueText(decrypt(name, value))).join("\n") };
  if (format !== "name=value") return write(format, values, { decrypt, allowReserved: false });
  // The user selected each variable, so reserved names are allowed.
  const { text, note } = await write("dotenv", values, { decrypt, allowReserved: true });
  return { text: text.replace(TYPE_COMMENTS, "").trimEnd(), note };
}
