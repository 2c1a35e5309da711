import { statSync } from "node:fs";
import { UsageError } from "../../domain/errors.js";
import { decodeUtf8 } from "../../files/decode-utf8.js";
import { READERS } from "../../formats/formats.js";
import type { Context } from "../output/context.js";
import { readSettingFile } from "../settings/secrets.js";
import { unsafeFileWarning } from "./safe-files.js";

/** What a file with a user's own values says about a variable. */
export interface EnvFileEntry {
  file: string;
  value: string;
}

/** Warns of each file that another user can change. */
export function warnOfUnsafeEnvFiles(files: readonly string[], { io, warn }: Pick<Context, "io" | "warn">): void {
  for (const file of new Set(files)) {
    const warning = unsafeFileWarning(file, io);
    if (warning) warn(warning);
  }
}

/**
 * Reads dotenv files. A name that several files have is that of the last.
 *
 * @param argv the command line as Node has got it
 * @throws UsageError that names a file that can't be read, and never quotes it
 */
export async function readEnvFiles(
  files: readonly string[],
  argv: readonly string[] = process.argv,
): Promise<Map<string, EnvFileEntry>> {
  const entries = new Map<string, EnvFileEntry>();
  const read = await READERS.dotenv();
  for (const file of files) {
    const from = `--env-file ${file}`;
    const isReadByNode = filesReadByNode(argv).includes(file);
    if (isReadByNode && isPipe(file))
      throw new UsageError(`${from}: Node.js has read this pipe before; use -f ${file}`);
    const text = decodeUtf8(await readSettingFile(file, "--env-file"), `${from}: its content`);
    for (const { name, value } of tryRead(() => read(text), from)) {
      if (isReadByNode && name === "NODE_OPTIONS")
        throw new UsageError(`${from}: Node.js has applied its NODE_OPTIONS to appvars itself; use -f ${file}`);
      entries.set(name, { file, value: String(value) });
    }
  }
  return entries;
}

/**
 * Node reads the files of this flag, and applies a NODE_OPTIONS in them, also where the flag comes after the name of the
 * script; not after `--` (nodejs/node#54232).
 */
function filesReadByNode(argv: readonly string[]): string[] {
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  return words.flatMap((word, index) => {
    if (word === "--env-file") return words.slice(index + 1, index + 2);
    return word.startsWith("--env-file=") ? [word.slice("--env-file=".length)] : [];
  });
}

export function isPipe(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

function tryRead<T>(read: () => T, from: string): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${from}: ${error.message}`) : error;
  }
}
