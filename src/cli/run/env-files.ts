import { statSync } from "node:fs";
import { aboutUse, UsageError } from "../../domain/errors.js";
import { command } from "../../domain/shell.js";
import { decodeUtf8 } from "../../files/decode-utf8.js";
import { READERS } from "../../formats/formats.js";
import { describeRisks, fileRisks } from "../editing/safe-files.js";
import type { Context } from "../output/context.js";
import { variableKey } from "../processes/child.js";
import { readSettingFile } from "../settings/secrets.js";

/** What a file with a user's own values says about a variable. */
export interface EnvFileEntry {
  name: string;
  file: string;
  value: string;
}

/** Warns of each file that another user can change; root too, which may use such files otherwise. */
export function warnOfUnsafeEnvFiles(files: readonly string[], { io, warn }: Pick<Context, "io" | "warn">): void {
  for (const file of new Set(files)) {
    const { refused, warned, isAllowed } = fileRisks(file, io);
    const risks = isAllowed ? [] : [...refused, ...warned];
    if (risks.length > 0) warn(describeRisks(file, risks));
  }
}

/**
 * Reads dotenv files. If several set the same name, the last one wins.
 *
 * @param argv the command line as Node has got it
 * @returns the entries by the `variableKey` of their names
 * @throws UsageError that names a file that can't be read, and never quotes it
 */
export async function readEnvFiles(
  files: readonly string[],
  platform: NodeJS.Platform,
  argv: readonly string[] = process.argv,
): Promise<Map<string, EnvFileEntry>> {
  const entries = new Map<string, EnvFileEntry>();
  const read = await READERS.dotenv();
  for (const file of files) {
    const from = `--env-file ${file}`;
    const isReadByNode = filesReadByNode(argv).includes(file);
    if (isReadByNode && isPipe(file))
      throw new UsageError(`${from}: Node.js has read this pipe before; ${command`use -f ${file}`}`);
    const text = decodeUtf8(await readSettingFile(file, "--env-file"), `${from}: its content`);
    for (const { name, value } of tryRead(() => read(text), from)) {
      if (isReadByNode && name === "NODE_OPTIONS")
        throw new UsageError(
          `${from}: Node.js has applied its NODE_OPTIONS to appvars itself; ${command`use -f ${file}`}`,
        );
      entries.set(variableKey(name, platform), { name, file, value: String(value) });
    }
  }
  return entries;
}

/**
 * Refuses a command whose own `--env-file` Node has applied to this process.
 *
 * @param argv the command line as Node has got it, which ends with the command
 * @throws UsageError
 */
export function refuseUseByNode(command: readonly string[], argv: readonly string[] = process.argv): void {
  const read = wordsReadByNode(argv).slice(argv.length - command.length);
  if (filesReadByNode(read).length === 0) return;
  throw new UsageError(
    "Node.js has applied the --env-file of the command to appvars itself; put -- before the command",
  );
}

/** Node reads the files of these flags, and applies a NODE_OPTIONS in them, also after the name of the script. */
function filesReadByNode(argv: readonly string[]): string[] {
  const words = wordsReadByNode(argv);
  return words.flatMap((word, index) => {
    const match = /^--env-file(?:-if-exists)?(?:=(.*))?$/s.exec(word);
    if (!match) return [];
    return match[1] === undefined ? words.slice(index + 1, index + 2) : [match[1]];
  });
}

/** Those up to `--` (nodejs/node#54232). */
function wordsReadByNode(argv: readonly string[]): readonly string[] {
  return argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
}

export function isPipe(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

function tryRead<T>(read: () => T, from: string): T {
  try {
    return read();
  } catch (error) {
    throw aboutUse(from, error);
  }
}
