import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "./temporary-folder.js";

/** Opens and seals data files in tests. */
export const SEAL_KEY = "0123456789abcdef0123456789abcdef";

export interface DataFile {
  readonly path: string;
  /**
   * Replaces the file in one step, as editors do. Text is written as it is, anything else as JSON.
   */
  write(content: unknown): Promise<void>;
}

/** A data file that is removed when the current test ends. */
export async function dataFile(content: unknown): Promise<DataFile> {
  const path = join(await temporaryFolder(), "vars.json");
  const write = async (next: unknown) => {
    await writeFile(`${path}.new`, typeof next === "string" ? next : JSON.stringify(next), {
      mode: 0o600,
    });
    await rename(`${path}.new`, path);
  };
  await write(content);
  return { path, write };
}
