import { createContext, type OutputFlags } from "./output/context.js";
import { reportError } from "./output/errors.js";
import type { Io } from "./output/io.js";
import { parseQuickWords } from "./settings/parse-words.js";
import type { SourceFlags } from "./settings/setting.js";
import { readSettings } from "./settings/settings.js";
import { createDecrypt } from "./sources/decryption.js";
import { type GetOptions, runGet } from "./sources/get-values.js";
import { openSource, withSource } from "./sources/open-source.js";

/**
 * `appvars get NAME…` without loading commander: scripts call it often, and with commander it takes a tenth longer.
 * Resolves to the exit code, or to undefined for a command line that it leaves to `main`.
 */
export async function quickGet(argv: readonly string[], io: Io): Promise<number | undefined> {
  const call = parseQuickGet(argv);
  if (!call) return undefined;
  const { flags, output, ...options } = call;
  const context = createContext(io, () => output);
  try {
    const settings = readSettings(flags, context.io);
    await withSource(openSource(settings, context), async (source) =>
      runGet(options, source, await createDecrypt(settings), context),
    );
    return context.exitCode;
  } catch (error) {
    return reportError(error, argv, io);
  }
}

/** A parsed command line. */
interface QuickGet extends GetOptions {
  output: OutputFlags;
  flags: SourceFlags;
}

/** Undefined for anything but a plain `get`: commander handles help, mistakes and `--cache`. */
function parseQuickGet(argv: readonly string[]): QuickGet | undefined {
  const parsed = parseQuickWords("get", argv, { "no-newline": "n", null: "0" });
  if (!parsed || parsed.positionals.length === 0) return undefined;
  const { positionals: names, others, output, flags } = parsed;
  // commander reports what --null can't be used with.
  if (others.has("null") && (others.has("json") || others.has("no-newline"))) return undefined;
  return { names, newline: !others.has("no-newline"), null: others.has("null"), output, flags };
}
