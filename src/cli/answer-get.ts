import { createContext, type OutputFlags } from "./output/context.js";
import { reportError } from "./output/errors.js";
import type { Io } from "./output/io.js";
import type { Layers } from "./settings/layers.js";
import { Settings } from "./settings/settings.js";
import { createDecrypt } from "./sources/decryption.js";
import { type GetOptions, runGet } from "./sources/get-values.js";
import { openSource, withSource } from "./sources/open-source.js";

/** A parsed command line. */
export interface GetCall extends GetOptions {
  argv: readonly string[];
  output: OutputFlags;
}

/** Runs `get` with settings that have been read, and resolves to the exit code. Never rejects. */
export async function answerGet({ argv, output, ...options }: GetCall, layers: Layers, io: Io): Promise<number> {
  const context = createContext(io, () => output);
  try {
    const settings = new Settings(layers, context.io);
    await withSource(openSource(settings, context), async (source) =>
      runGet(options, source, await createDecrypt(settings), context),
    );
    return context.exitCode;
  } catch (error) {
    return reportError(error, argv, io);
  }
}
