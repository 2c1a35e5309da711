import type { Adapter } from "lowdb";
import { type OpenFile, openForReading, readRegularFile } from "../files/open-file.js";
import { toInvalidData } from "../files/system-errors.js";
import type { Data } from "./data.js";
import { checkHeap, MAX_DATA_SIZE, scanJson } from "./data-limits.js";
import type { PackedData } from "./packed-data.js";
import { parseData } from "./parse-data.js";

interface ReadOptions {
  open?: ((path: string) => Promise<OpenFile>) | undefined;
  /** Maximum size in bytes. */
  maxSize?: number | undefined;
}

interface Options extends ReadOptions {
  /** `createFile`, or `replaceFile` under a lock; without it the file is only read. */
  writeText?: (path: string, text: string) => Promise<void>;
}

/**
 * lowdb's adapter for a data file. Unlike lowdb's own, it refuses a missing, empty or invalid file: missing data must
 * never look like empty data. Its error messages are predicates ("is empty"), to follow the file's path.
 */
export class DataFileAdapter implements Adapter<Data> {
  readonly #path: string;
  readonly #options: Options;
  /** Bytes of heap that the data read last uses. */
  #held = 0;

  constructor(path: string, options: Options = {}) {
    this.#path = path;
    this.#options = options;
  }

  /** @throws InvalidDataError; the data read before stays valid */
  async read(): Promise<Data> {
    let held = 0;
    const data = await readDataFile(this.#path, this.#options, (bytes) => {
      const scan = scanJson(bytes);
      checkHeap(scan, this.#held);
      held = scan.held;
      return parseData(bytes);
    });
    this.#held = held;
    return data;
  }

  /** @throws InvalidDataError; the file is unchanged then, unless it is a NotDurableError */
  async write(data: Data): Promise<void> {
    const { writeText = refuse } = this.#options;
    try {
      await writeText(this.#path, serializeData(data));
    } catch (error) {
      throw toInvalidData(error, "can't be written");
    }
  }
}

/** lowdb's adapter for the data file of a server, which never writes it. */
export class ServedFileAdapter implements Adapter<PackedData> {
  readonly #path: string;
  readonly #options: ReadOptions;
  readonly #closed = new AbortController();

  constructor(path: string, options: ReadOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** @throws InvalidDataError; the data read before stays valid */
  async read(): Promise<PackedData> {
    const { parseApart } = await import("./parse-apart.js");
    return readDataFile(this.#path, this.#options, (bytes) => parseApart(bytes, this.#closed.signal));
  }

  write = refuse;

  /** Ends a read that has not finished. */
  close(): void {
    this.#closed.abort();
  }
}

/** @param parse gets the bytes, which are not kept here: they can be released before the data is checked */
async function readDataFile<T>(path: string, options: ReadOptions, parse: (bytes: Buffer) => Promise<T>): Promise<T> {
  const { open = openForReading, maxSize = MAX_DATA_SIZE } = options;
  try {
    const file = await open(path);
    return await readRegularFile(file, Math.min(maxSize, MAX_DATA_SIZE)).then(parse);
  } catch (error) {
    throw toInvalidData(error, "can't be read");
  }
}

async function refuse(): Promise<never> {
  throw new Error("opened for reading only");
}

/** The text of a data file: one record per line, for readable diffs. */
export function serializeData({ $schema, version, last_ids, environments, variables, values }: Data): string {
  const fields = { $schema, version, last_ids };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`  "${name}": ${JSON.stringify(value)}`],
  );
  const lists = Object.entries({ environments, variables, values }).map(([name, list]) => {
    const records = list.map((record) => `    ${JSON.stringify(record)}`).join(",\n");
    return `  "${name}": ${records === "" ? "[]" : `[\n${records}\n  ]`}`;
  });
  return `{\n${[...lines, ...lists].join(",\n")}\n}\n`;
}
