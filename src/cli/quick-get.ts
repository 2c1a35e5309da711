import { isVariableName } from "../domain/variable.js";
import { createContext, noteExchanges, type OutputFlags, withSource } from "./context.js";
import { createDecrypt } from "./decryption.js";
import { type GetOptions, runGet } from "./get-values.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import { openRemote } from "./open-remote.js";
import { reportError } from "./report-error.js";
import { resolveSettings } from "./source-settings.js";

/**
 * `appvars get NAME…` from a server, as scripts call it: with the settings that the environment and files give, and
 * without what only other commands need, commander above all. Half of its time would go into loading that. Resolves
 * to the exit code, or to undefined for a command line that it leaves, untouched, to `main`.
 */
export async function quickGet(argv: readonly string[], io: Io): Promise<number | undefined> {
  const call = parseQuickGet(argv);
  if (!call) return undefined;
  const context = createContext(io, () => call.output);
  try {
    const settings = resolveSettings(layersOf({}, io));
    if (settings.kind === "local") return undefined;
    const opening = openRemote(
      settings,
      io,
      noteExchanges(context.note, () => call.output),
    );
    await withSource(opening, async (source) => runGet(call, source, await createDecrypt({}, context), context));
    return context.exitCode;
  } catch (error) {
    return reportError(error, argv, io);
  }
}

/** Undefined for all but names and flags for output: source flags, help and mistakes are commander's. */
function parseQuickGet([command, ...words]: readonly string[]): (GetOptions & { output: OutputFlags }) | undefined {
  const names = words.filter(isVariableName);
  const flags = new Set(words.filter((word) => !isVariableName(word)));
  const has = (...spellings: string[]) => spellings.map((spelling) => flags.delete(spelling)).includes(true);
  const newline = !has("-n", "--no-newline");
  const output = { color: true, ...(has("--json") && { json: true as const }) };
  return command === "get" && names.length > 0 && flags.size === 0 ? { names, newline, output } : undefined;
}
