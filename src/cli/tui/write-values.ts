import { UsageError } from "../../domain/errors.js";
import { isReservedName } from "../../domain/reserved-names.js";
import { ENVIRONMENT_FORMATS } from "../../formats/formats.js";
import type { WriteValues } from "../../tui/state/ports.js";
import { decryptValues } from "../reading/decryption.js";
import { formatWriter } from "../transfer/format-writer.js";

/** Writes values as `export` does, which leaves out reserved names where they would take effect. */
export const writeValues: WriteValues = async (format, values, { decrypt, allowReserved }) => {
  const leavesOut = !allowReserved && ENVIRONMENT_FORMATS.includes(format);
  const isLeftOut = ({ name }: Named) => leavesOut && isReservedName(name);
  const kept = values.filter((value) => !isLeftOut(value));
  const leftOut = values.filter(isLeftOut).map(({ name }) => name);
  if (kept.length === 0 && leftOut.length > 0) {
    throw new UsageError(`reserved names are left out of ${format}: ${leftOut.join(", ")}`);
  }
  const { text, differing } = (await formatWriter(format))(await decryptValues(kept, decrypt));
  const notes = [
    ...(leftOut.length > 0 ? [`without the reserved ${leftOut.join(", ")}`] : []),
    ...(differing.length > 0 ? [`some programs would read ${namesOf(differing)} differently`] : []),
  ];
  return { text, leftOut, note: notes.length > 0 ? notes.join("; ") : undefined };
};

interface Named {
  readonly name: string;
}

function namesOf(items: readonly Named[]): string {
  return items.map(({ name }) => name).join(", ");
}
