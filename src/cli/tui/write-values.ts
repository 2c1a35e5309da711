import { isReservedName } from "../../domain/reserved-names.js";
import { ENVIRONMENT_FORMATS, WRITERS } from "../../formats/formats.js";
import type { WriteValues } from "../../tui/state/ports.js";
import { decryptValues } from "../sources/decrypt-values.js";

/** Writes values as `export` does, which leaves out reserved names where they would take effect. */
export const writeValues: WriteValues = async (format, values, decrypt) => {
  const isLeftOut = (name: string) => ENVIRONMENT_FORMATS.includes(format) && isReservedName(name);
  const kept = values.filter(({ name }) => !isLeftOut(name));
  const names = values.flatMap(({ name }) => (isLeftOut(name) ? [name] : []));
  const write = await WRITERS[format]();
  const text = write(decryptValues(kept, decrypt));
  return { text, note: names.length > 0 ? `without the reserved ${names.join(", ")}` : undefined };
};
