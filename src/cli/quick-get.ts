import { parseArgs } from "node:util";
import { createContext, noteExchanges, type OutputFlags, withSource } from "./context.js";
import { createDecrypt } from "./decryption.js";
import { runGet } from "./get-values.js";
import type { Io } from "./io.js";
import { layersOf } from "./layers.js";
import { openRemote } from "./open-remote.js";
import { reportError } from "./report-error.js";
import { placeOf, SETTING_NAMES, type SourceFlags } from "./settings.js";
import { resolveSettings } from "./source-settings.js";

interface QuickGet {
  names: string[];
  newline: boolean;
  output: OutputFlags;
  flags: SourceFlags;
}

/**
 * `appvars get NAME…` from a server, without what only other commands need, commander above all: scripts call it
 * often, and half of its time would go into loading. Resolves to the exit code, or to undefined for a command line
 * that it leaves, untouched, to `main`.
 */
export async function quickGet(argv: readonly string[], io: Io): Promise<number | undefined> {
  const call = parseQuickGet(argv);
  if (!call) return undefined;
  const { names, newline, flags } = call;
  const context = createContext(io, () => call.output);
  try {
    const settings = resolveSettings(layersOf(flags, io));
    if (settings.kind === "local") return undefined;
    const opening = openRemote(
      settings,
      io,
      noteExchanges(context.note, () => call.output),
    );
    await withSource(opening, async (source) =>
      runGet({ names, newline }, source, await createDecrypt(flags, context), context),
    );
    return context.exitCode;
  } catch (error) {
    return reportError(error, argv, io);
  }
}

/** Undefined for anything but a plain `get`: help, a mistake, and what follows from them, is commander's. */
function parseQuickGet(argv: readonly string[]): QuickGet | undefined {
  const [command, ...args] = argv;
  if (command !== "get") return undefined;
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (positionals.length === 0) return undefined;
    const { json, quiet, verbose, "no-color": noColor, "no-newline": noNewline, ...sourceFlags } = values;
    const output = { color: !noColor, ...(json && { json }), ...(quiet && { quiet }), ...(verbose && { verbose }) };
    const named = Object.entries(sourceFlags).map(([flag, text]) => [SETTING_OF_FLAG.get(flag), text]);
    return {
      names: positionals,
      newline: !noNewline,
      output: output as OutputFlags,
      flags: Object.fromEntries(named),
    };
  } catch {
    return undefined;
  }
}

/** `api-key` to `apiKey`. */
const SETTING_OF_FLAG = new Map(
  SETTING_NAMES.flatMap((name) => {
    const flag = placeOf(name, "flag");
    return flag ? [[flag.slice(2), name] as const] : [];
  }),
);

const OPTIONS = {
  json: { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  verbose: { type: "boolean" },
  "no-color": { type: "boolean" },
  "no-newline": { type: "boolean", short: "n" },
  ...Object.fromEntries([...SETTING_OF_FLAG.keys()].map((flag) => [flag, { type: "string" } as const])),
} as const;
