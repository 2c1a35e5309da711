import { createHmac, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFile, makeFolder } from "../../kit/files/durable-file.js";
import { readRegularFile } from "../../kit/files/open-file.js";
import { isPublic, isUnreadable } from "../../model/variable.js";
import { entriesOf, labelOf, TOP_LEVEL_KEY } from "../../store/edits/merge-entries.js";
import { readContent } from "../../store/file/data-file.js";
import type { Surroundings } from "../surroundings.js";

/**
 * Describes a data file for git's textconv: a line for each record, by names.
 *
 * Secrets become 128 bits of an HMAC with a key of the user, so that nobody else can guess a value
 * from a log. The texts of a sealed file are not secret, so their marks need no key.
 *
 * @throws InvalidDataError
 */
export async function dataByNames(path: string, surroundings: Surroundings): Promise<string[]> {
  const content = await readContent(path);
  const key = content.sealed ? "" : await readDiffKey(surroundings);
  const mark = (secret: unknown) =>
    key === undefined
      ? "secret"
      : `secret ${createHmac("sha256", key).update(JSON.stringify(secret)).digest("hex").slice(0, 32)}`;
  const entries = entriesOf(content, content);
  const lines = [...entries].flatMap(([name, { owners, fields }]) => {
    const { application: _, name: __, value, credentials, ...others } = fields;
    if (name === TOP_LEVEL_KEY)
      return Object.entries(others).map(([field, entry]) => `${field} ${JSON.stringify(entry)}`);
    const shown =
      credentials === undefined ? others : { ...others, credentials: mark(credentials) };
    if (!("value" in fields)) return `${labelOf(name)} ${JSON.stringify(shown)}`;
    const isShown = isPublic(entries.get(owners[0] ?? "")?.fields) && !isUnreadable(value);
    return `${labelOf(name)} ${isShown ? JSON.stringify(value) : `(${mark(value)})`}`;
  });
  return lines.sort();
}

/** Reads the user's key, or creates it; `undefined` on failure. */
async function readDiffKey({ folders }: Surroundings): Promise<Buffer | undefined> {
  const path = join(folders.config, "diff-key");
  try {
    if (!existsSync(path)) {
      await makeFolder(folders.config);
      await createFile(path, randomBytes(32).toString("hex"));
    }
    const { bytes } = await readRegularFile(path, 1_024, { followLinks: false });
    return /^[0-9a-f]{64}$/.test(bytes.toString()) ? bytes : undefined;
  } catch {
    return undefined;
  }
}
