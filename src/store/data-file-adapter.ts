import { constants, open } from "node:fs/promises";
import type { Adapter } from "lowdb";
import { InvalidDataError } from "../domain/errors.js";
import type { Data } from "./data.js";
import { parseData } from "./parse-data.js";
import { serializeData } from "./serialize-data.js";
import { toInvalidData } from "./system-errors.js";

/**
 * lowdb's adapter for a data file. Unlike lowdb's own it refuses a missing, empty or invalid file: data
 * that is not there must never look like data that is empty. The messages of its errors are predicates
 * ("is empty"): who shows one puts in front what the reader may know the file as.
 */
export class DataFileAdapter implements Adapter<Data> {
  readonly #path: string;
  readonly #writeText: (path: string, text: string) => Promise<void>;

  /** @param writeText `createFile`, or a `replaceFile` under a lock; without it the file is only read */
  constructor(path: string, writeText: (path: string, text: string) => Promise<void> = refuse) {
    this.#path = path;
    this.#writeText = writeText;
  }

  /** @throws InvalidDataError */
  async read(): Promise<Data> {
    try {
      return await parseData(await readRegularFile(this.#path));
    } catch (error) {
      throw toInvalidData(error, "can't be read");
    }
  }

  /** @throws InvalidDataError; the file is then as it was */
  async write(data: Data): Promise<void> {
    try {
      await this.#writeText(this.#path, serializeData(data));
    } catch (error) {
      throw toInvalidData(error, "can't be written");
    }
  }
}

/** Does not wait for a writer, as reading a named pipe would, for ever. */
async function readRegularFile(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new InvalidDataError("can't be read: it is a folder");
    if (!stats.isFile()) throw new InvalidDataError("can't be read: it is no regular file");
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function refuse(): Promise<never> {
  throw new Error("opened for reading only");
}
