import type { Adapter } from "lowdb";
import { type OpenFile, openForReading, readRegularFile } from "../files/open-file.js";
import { toInvalidData } from "../files/system-errors.js";
import type { Data } from "./data.js";
import { checkHeap, MAX_DATA_SIZE } from "./data-limits.js";
import { parseData } from "./parse-data.js";

interface Options {
  /** `createFile`, or `replaceFile` under a lock; without it the file is only read. */
  writeText?: (path: string, text: string) => Promise<void>;
  open?: (path: string) => Promise<OpenFile>;
  /** Maximum size in bytes of a file that is read. */
  maxSize?: number | undefined;
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
    const { open = (path: string) => openForReading(path), maxSize = MAX_DATA_SIZE } = this.#options;
    try {
      // In steps, so that the bytes are released before the data is checked.
      let held = 0;
      const file = await open(this.#path);
      const data = await readRegularFile(file, Math.min(maxSize, MAX_DATA_SIZE)).then((bytes) => {
        held = checkHeap(bytes, this.#held).held;
        return parseData(bytes);
      });
      this.#held = held;
      return data;
    } catch (error) {
      throw toInvalidData(error, "can't be read");
    }
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
