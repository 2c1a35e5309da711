import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFile, makeFolder } from "../../kit/files/durable-file.js";
import { readRegularFile } from "../../kit/files/read-file.js";
import { linesByName } from "../../store/edits/merge-records.js";
import { readContent } from "../../store/file/data-file.js";
import type { Surroundings } from "../surroundings.js";

/**
 * Describes each record of a data file in a line, for git's textconv.
 *
 * Secrets become 128 bits of an HMAC with a key of the user, so that nobody
 * else can guess a value from a log. The strings of a sealed file are not
 * secret, so their marks need no key.
 */
export async function dataByNames(path: string, surroundings: Surroundings): Promise<string[]> {
  const content = await readContent(path);
  const key = content.sealed ? "" : await readDiffKey(surroundings);
  return linesByName(content, key);
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
