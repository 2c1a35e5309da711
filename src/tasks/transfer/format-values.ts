import {
  ENVIRONMENT_FORMATS,
  type ExportFormat,
  IMPORT_FORMATS,
  WRITERS,
} from "../../formats/formats.js";
import { nativeType } from "../../formats/infer-type.js";
import {
  type DotenvTarget,
  describeReasons,
  UnsupportedError,
  type WriteOptions,
  type Writer,
} from "../../formats/writer.js";
import { command } from "../../kit/text/shell.js";
import { readAll } from "../../model/reads/page.js";
import type { VariableSource } from "../../model/reads/read.js";
import { isUnreadable, type NamedValue, type Variable } from "../../model/variable.js";
import { isLeftOut, refuseReserved, warnLeftOut } from "../selection/left-out.js";
import { createSelection, readSelected, type SelectedValue } from "../selection/selection.js";
import type { SelectionOptions } from "../selection/selection-options.js";
import { type Decrypt, decryptValues } from "../sources/decryption.js";
import type { Caller } from "../surroundings.js";

export interface ExportedValues extends SelectionOptions, WriteOptions {
  format: ExportFormat;
  /** The program that a dotenv file is for. */
  target: DotenvTarget | undefined;
  /** Leaves out variables that the format can't hold. */
  skipUnsupported: boolean;
  allowReserved: readonly string[];
}

export interface Written<T = NamedValue> {
  text: string;
  /** The variables in the text. */
  entries: readonly T[];
}

/** @throws UnsupportedError for variables that the format can't hold */
export async function formatValues(
  options: ExportedValues,
  decrypt: Decrypt,
  source: VariableSource,
  caller: Caller,
): Promise<Written> {
  const { format, target, allowReserved } = options;
  const selection = createSelection(options, caller);
  const leavesOut = ENVIRONMENT_FORMATS.includes(format);
  if (leavesOut) refuseReserved(selection.named, allowReserved);
  const types = format === "dotenv" ? "all" : "encrypted";
  const selected = await readSelected(selection, source, { types });
  const isOut = ({ newName }: SelectedValue) => leavesOut && isLeftOut(newName, allowReserved);
  const typed = selected
    .filter((entry) => !isOut(entry))
    .map((entry) => ({ ...entry, type: entry.type ?? nativeType(entry.value) }));
  const entries = decryptValues(typed, decrypt).map((entry) => ({ ...entry, name: entry.newName }));
  const write = target
    ? (await import("../../formats/dotenv-writers.js")).DOTENV_WRITERS[target]
    : await WRITERS[format]();
  const written = writeSupported(write, entries, options, caller);
  const leftOut = selected.filter(isOut).map(({ newName }) => newName);
  warnLeftOut(leftOut, caller);
  const decrypted = typed.filter(({ value }) => isUnreadable(value)).map(({ newName }) => newName);
  // A copy by `import` would otherwise lose the encryption without a word.
  if (decrypted.length > 0 && IMPORT_FORMATS.some((each) => each === format))
    caller.note(
      `decrypted ${decrypted.join(", ")}; to encrypt them again: ${command`appvars import FILE --encrypt ${decrypted.join(",")}`}`,
    );
  return written;
}

export async function declareVariables(
  options: SelectionOptions,
  source: VariableSource,
  caller: Caller,
): Promise<Written<Variable>> {
  const selection = createSelection(options, caller);
  const all = await source.readSnapshot(async (snapshot) => {
    const variables = await readAll((page) => snapshot.listVariables(page));
    return variables.map((variable) => ({ ...variable, ...snapshot.rulesOf(variable.id) }));
  });
  const names = all.map(({ name }) => name);
  const newNames = selection.rename(await selection.select(names));
  selection.noteUnmatched(names);
  const entries = all.flatMap((variable) => {
    const name = newNames.get(variable.name);
    return name === undefined ? [] : [{ ...variable, name }];
  });
  const { writeTypescript } = await import("../../formats/typescript.js");
  return { text: writeTypescript(entries), entries };
}

function writeSupported(
  write: Writer,
  entries: readonly NamedValue[],
  options: ExportedValues,
  caller: Caller,
): Written {
  try {
    return { text: write(entries, options), entries };
  } catch (error) {
    if (!options.skipUnsupported || !(error instanceof UnsupportedError)) throw error;
    const { format, reasons } = error;
    caller.warn(`left out variables that ${format} can't hold: ${describeReasons(reasons)}`);
    const others = entries.filter((entry) => !reasons.has(entry.name));
    return writeSupported(write, others, options, caller);
  }
}
