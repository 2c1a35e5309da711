import * as v from "valibot";
import { InvalidDataError } from "../kit/text/errors.js";
import { LISTS } from "../store/data.js";
import type { RecordChange } from "../store/record-changes.js";
import { decode, parseStoredText } from "../store/schema/parse-data.js";

const record = v.nullable(
  v.looseObject({ id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)) }),
);
/** The form of a {@link RecordChange}, whose records are not checked. */
export const RECORD_CHANGE = v.strictObject({
  list: v.picklist(LISTS),
  before: record,
  after: record,
});

export function changeLines(changes: readonly RecordChange[]): Buffer {
  return Buffer.from(changes.map((change) => JSON.stringify(change)).join("\n"));
}

/** The changes of {@link changeLines}. @throws InvalidDataError with a predicate as its message */
export function* parseChanges(bytes: Buffer): Generator<RecordChange> {
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    yield parseStored(RECORD_CHANGE, bytes.subarray(start, end));
    start = end + 1;
  }
}

/**
 * Parses JSON that a program has written.
 *
 * @throws InvalidDataError with a predicate as its message
 */
export function parseStored<T>(schema: v.GenericSchema<unknown, T>, bytes: Buffer): T {
  const result = v.safeParse(schema, parseStoredText(decode(bytes)));
  if (!result.success) throw new InvalidDataError("breaks a rule");
  return result.output;
}
