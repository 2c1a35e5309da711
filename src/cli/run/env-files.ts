import { statSync } from "node:fs";
import { withSubject } from "../../domain/errors.js";
import { decodeUtf8 } from "../../files/decode-utf8.js";
import { READERS } from "../../formats/formats.js";
import { describeRisk, fileRisk } from "../editing/safe-files.js";
import type { Context } from "../output/context.js";
import { variableKey } from "../processes/child.js";
import { readSettingFile } from "../settings/secrets.js";

/** An entry of a file with a user's own values. */
export interface EnvFileEntry {
  name: string;
  file: string;
  value: string;
}

/** Warns of each file that another user can change. */
export function warnOfUnsafeEnvFiles(files: readonly string[], { io, warn }: Pick<Context, "io" | "warn">): void {
  for (const file of new Set(files)) {
    const risk = fileRisk(file, io);
    if (risk) warn(describeRisk(file, risk));
  }
}

/**
 * Reads dotenv files. If several set the same name, the last one wins.
 *
 * @returns the entries by the `variableKey` of their names
 * @throws UsageError that names a file that can't be read, and never quotes it
 */
export async function readEnvFiles(
  files: readonly string[],
  platform: NodeJS.Platform,
): Promise<Map<string, EnvFileEntry>> {
  const entries = new Map<string, EnvFileEntry>();
  const read = await READERS.dotenv();
  for (const file of files) {
    const from = `--env-file ${file}`;
    const text = decodeUtf8(await readSettingFile(file, "--env-file"), `${from}: its content`);
    for (const { name, value } of tryRead(() => read(text), from)) {
      entries.set(variableKey(name, platform), { name, file, value: String(value) });
    }
  }
  return entries;
}

export function isPipe(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile();
}

function tryRead<T>(read: () => T, from: string): T {
  try {
    return read();
  } catch (error) {
    throw withSubject(from, error);
  }
}
