import { UsageError } from "../../domain/errors.js";
import type { NamedValue } from "../../domain/variable.js";
import type { WriteOptions } from "../../formats/entry.js";
import { DOTENV_WRITERS, type DotenvTarget, type ExportFormat, WRITERS } from "../../formats/formats.js";

interface Written {
  text: string;
  /** Variables of a `.env` file that some programs read differently from the dotenv package, and these programs. */
  differing: readonly { readonly name: string; readonly readers: readonly string[] }[];
}

/** Loads the writer of a format. @param target the one program that a `.env` file is for; without one, it is for all */
export async function formatWriter(
  format: ExportFormat,
  target?: DotenvTarget,
): Promise<(entries: readonly NamedValue[], options?: WriteOptions) => Written> {
  if (format === "dotenv" && !target) return (await import("../../formats/dotenv.js")).writeForMost;
  const write = target ? await DOTENV_WRITERS[target]() : await WRITERS[format]();
  return (entries, options) => ({ text: write(entries, options), differing: [] });
}

/** @throws UsageError */
export function checkTarget(target: DotenvTarget | undefined, format: string): void {
  if (target && format !== "dotenv") throw new UsageError(`--for is for --format dotenv, not ${format}`);
}
