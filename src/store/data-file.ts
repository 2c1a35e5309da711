import { constants } from "node:buffer";
import { getHeapStatistics } from "node:v8";
import type { Adapter } from "lowdb";
import { InvalidDataError } from "../domain/errors.js";
import { type OpenFile, openForReading, readRegularFile, sizeText } from "../files/open-file.js";
import { toInvalidData } from "../files/system-errors.js";
import type { Data } from "./data.js";
import { parseData } from "./parse-data.js";

/** Bytes of the largest data file: JSON is parsed from one string, and V8's longest has about 512 MB. */
export const MAX_DATA_SIZE = constants.MAX_STRING_LENGTH;
/** Heap that a file takes while it is parsed, by its size: its text, and records of a usual size. */
const HEAP_FACTOR = 4;

interface Options {
  open?: ((path: string) => Promise<OpenFile>) | undefined;
  /** Default {@link parseData}. */
  parse?: ((bytes: Buffer) => Promise<Data>) | undefined;
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

  constructor(path: string, options: Options = {}) {
    this.#path = path;
    this.#options = options;
  }

  /** @throws InvalidDataError; the data read before stays valid */
  async read(): Promise<Data> {
    const { open = openForReading, parse = parseData } = this.#options;
    try {
      const bytes = await readRegularFile(await open(this.#path), MAX_DATA_SIZE);
      checkHeap(bytes.length);
      return await parse(bytes);
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

/** V8 ends the process, and the data that it serves, when the heap is full. @throws InvalidDataError */
function checkHeap(size: number): void {
  const { heap_size_limit, used_heap_size } = getHeapStatistics();
  const left = Math.max(0, heap_size_limit - used_heap_size);
  if (HEAP_FACTOR * size <= left) return;
  throw new InvalidDataError(
    `is too large for the memory of this process: it may need ${sizeText(HEAP_FACTOR * size)}, and ` +
      `${sizeText(left)} are left; to allow more, set NODE_OPTIONS=--max-old-space-size`,
  );
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
