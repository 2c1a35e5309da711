import { UsageError } from "../../domain/errors.js";
import { isReservedName } from "../../domain/reserved-names.js";
import { ENVIRONMENT_FORMATS, WRITERS } from "../../formats/formats.js";
import type { WriteValues } from "../../tui/state/ports.js";
import { decryptValues } from "../reading/decryption.js";

/** Writes values as `export` does, which leaves out reserved names where they would take effect. */
export const writeValues: WriteValues = async (format, values, { decrypt, allowReserved }) => {
  const leavesOut = !allowReserved && ENVIRONMENT_FORMATS.includes(format);
  const isLeftOut = ({ name }: Named) => leavesOut && isReservedName(name);
  const kept = values.filter((value) => !isLeftOut(value));
  const leftOut = values.filter(isLeftOut).map(({ name }) => name);
  if (kept.length === 0 && leftOut.length > 0) {
    throw new UsageError(`reserved names are left out of ${format}: ${leftOut.join(", ")}`);
  }
  const text = (await WRITERS[format]())(await decryptValues(kept, decrypt));
  return { text, leftOut, note: leftOut.length > 0 ? `without the reserved ${leftOut.join(", ")}` : undefined };
};

interface Named {
  readonly name: string;
}
