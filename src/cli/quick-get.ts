import { createContext, noteExchanges, type OutputFlags, withSource } from "./context.js";
import { createDecrypt } from "./decryption.js";
import { type GetOptions, runGet } from "./get-values.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import { openRemote } from "./open-remote.js";
import { reportError } from "./report-error.js";
import type { SourceFlags } from "./settings.js";
import { parseWords } from "./source-flags.js";
import { resolveSettings } from "./source-settings.js";

/**
 * `appvars get NAME…` from a server, without what only other commands need, commander above all: scripts call it
 * often, and half of its time would go into loading that. Resolves to the exit code, or to undefined for a command line
 * that it leaves, untouched, to `main`.
 */
export async function quickGet(argv: readonly string[], io: Io): Promise<number | undefined> {
  const call = parseQuickGet(argv);
  if (!call) return undefined;
  const context = createContext(io, () => call.output);
  try {
    const settings = resolveSettings(layersOf(call.flags, io));
    if (settings.kind === "local") return undefined;
    const opening = openRemote(
      settings,
      io,
      noteExchanges(context.note, () => call.output),
    );
    await withSource(opening, async (source) =>
      runGet(call, source, await createDecrypt(call.flags, context), context),
    );
    return context.exitCode;
  } catch (error) {
    return reportError(error, argv, io);
  }
}

interface QuickGet extends GetOptions {
  output: OutputFlags;
  flags: SourceFlags;
}

/** Undefined for anything but a plain `get`: help, a mistake, `--cache`, and what follows from them, is commander's. */
function parseQuickGet(argv: readonly string[]): QuickGet | undefined {
  const start = argv.findIndex((word) => !GLOBAL_FLAGS.includes(word));
  if (argv[start] !== "get") return undefined;
  try {
    const { flags, others, positionals: names } = parseWords(argv.toSpliced(start, 1), OUTPUT_FLAGS, true);
    if (names.length === 0) return undefined;
    const on = (name: "json" | "quiet" | "verbose") => others.has(name) && { [name]: true };
    const output = { color: !others.has("no-color"), ...on("json"), ...on("quiet"), ...on("verbose") };
    return { names, newline: !others.has("no-newline"), output, flags };
  } catch {
    return undefined;
  }
}

/** Those that may stand before the command. */
const GLOBAL_FLAGS = ["--json", "--quiet", "-q", "--verbose", "--no-color"];

/** With their letters, where they have one. */
const OUTPUT_FLAGS = { json: undefined, quiet: "q", verbose: undefined, "no-color": undefined, "no-newline": "n" };
