import { isReservedName } from "../../domain/reserved-names.js";
import { ENVIRONMENT_FORMATS } from "../../formats/formats.js";
import type { WriteValues } from "../../tui/state/ports.js";
import { decryptValues } from "../sources/decrypt-values.js";
import { formatWriter } from "../transfer/format-writer.js";

/** Writes values as `export` does, which leaves out reserved names where they would take effect. */
export const writeValues: WriteValues = async (format, values, { decrypt, allowReserved }) => {
  const leavesOut = !allowReserved && ENVIRONMENT_FORMATS.includes(format);
  const isLeftOut = ({ name }: Named) => leavesOut && isReservedName(name);
  const kept = values.filter((value) => !isLeftOut(value));
  const { text, differing } = (await formatWriter(format))(decryptValues(kept, decrypt));
  const notes = [
    ...named("without the reserved", values.filter(isLeftOut)),
    ...named("some programs read other values for", differing),
  ];
  return { text, note: notes.length > 0 ? notes.join("; ") : undefined };
};

interface Named {
  readonly name: string;
}

function named(what: string, items: readonly Named[]): string[] {
  return items.length > 0 ? [`${what} ${items.map(({ name }) => name).join(", ")}`] : [];
}
