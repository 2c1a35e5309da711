import { answerGet, type GetCall } from "./answer-get.js";
import { createContext } from "./output/context.js";
import { reportError } from "./output/errors.js";
import type { Io } from "./output/io.js";
import type { SourceFlags } from "./settings/layers.js";
import { parseWords } from "./settings/parse-words.js";
import { readSettings } from "./settings/settings.js";

/**
 * `appvars get NAME…` without loading commander: scripts call it often, and with commander it takes a tenth longer.
 * Resolves to the exit code, or to undefined for a command line that it leaves to `main`.
 *
 * @param beforeStore called before the code for data files is loaded
 */
export async function quickGet(
  argv: readonly string[],
  io: Io,
  beforeStore: () => void = () => {},
): Promise<number | undefined> {
  const call = parseQuickGet(argv);
  if (!call) return undefined;
  try {
    const { layers, connection } = readSettings(call.flags, createContext(io, () => call.output).io);
    if (connection.kind === "remote") return answerGet(call, layers, io);
    beforeStore();
    // The store is not in the bundle. This loads the same code from dist, which knows the classes of the store's errors.
    const apart = await import("./answer-get.js");
    return apart.answerGet(call, layers, io);
  } catch (error) {
    return reportError(error, argv, io);
  }
}

interface QuickGet extends GetCall {
  flags: SourceFlags;
}

/** Undefined for anything but a plain `get`: commander handles help, mistakes and `--cache`. */
function parseQuickGet(argv: readonly string[]): QuickGet | undefined {
  const start = argv.findIndex((word) => !GLOBAL_FLAGS.includes(word));
  if (argv[start] !== "get") return undefined;
  try {
    const { flags, others, positionals: names } = parseWords(argv.toSpliced(start, 1), QUICK_GET_FLAGS, true);
    if (names.length === 0) return undefined;
    const on = (name: "json" | "quiet" | "verbose") => others.has(name) && { [name]: true };
    const output = { color: !others.has("no-color"), ...on("json"), ...on("quiet"), ...on("verbose") };
    return { argv, names, newline: !others.has("no-newline"), output, flags };
  } catch {
    return undefined;
  }
}

/** The flags that may stand before the command. */
const GLOBAL_FLAGS = ["--json", "--quiet", "-q", "--verbose", "--no-color"];

/** With their letters, if they have one. */
const QUICK_GET_FLAGS = { json: undefined, quiet: "q", verbose: undefined, "no-color": undefined, "no-newline": "n" };
