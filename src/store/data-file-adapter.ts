import { readFile } from "node:fs/promises";
import type { Adapter } from "lowdb";
import { InvalidDataError } from "../domain/errors.js";
import { createFile } from "./create-file.js";
import type { Data } from "./data.js";
import { parseData } from "./parse-data.js";

/**
 * lowdb's adapter for a data file. Unlike lowdb's own it refuses a missing, empty or invalid file: data
 * that is not there must never look like data that is empty. The messages of its errors are predicates
 * ("is empty"): who shows one puts in front what the reader may know the file as.
 */
export class DataFileAdapter implements Adapter<Data> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws InvalidDataError */
  async read(): Promise<Data> {
    try {
      return await parseData(await readFile(this.#path));
    } catch (error) {
      throw this.#explain(error, "can't be read");
    }
  }

  /**
   * Makes the file. One that is there already stays as it is.
   *
   * @throws InvalidDataError
   */
  async write(data: Data): Promise<void> {
    try {
      await createFile(this.#path, `${JSON.stringify(data, null, 2)}\n`);
    } catch (error) {
      throw this.#explain(error, "can't be made");
    }
  }

  #explain(error: unknown, failure: string): InvalidDataError {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const reason = error instanceof InvalidDataError ? message : `${failure}: ${SYSTEM_ERRORS[code] ?? code}`;
    return new InvalidDataError(reason, { cause: error });
  }
}

const SYSTEM_ERRORS: Record<string, string> = {
  EACCES: "permission denied",
  EEXIST: "there is such a file already",
  EISDIR: "it is a folder",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  EROFS: "the file system is read-only",
};
