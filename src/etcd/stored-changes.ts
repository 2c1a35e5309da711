import { InvalidDataError } from "../kit/text/errors.js";
import { applyRule, type Rule } from "../kit/text/rules.js";
import { RECORD_CHANGE, type RecordChange } from "../store/record-changes.js";
import { decode, parseStoredText } from "../store/schema/parse-data.js";

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
export function parseStored<T>(rule: Rule, bytes: Buffer): T {
  const json = parseStoredText(decode(bytes));
  return applyRule<T>(rule, json, () => new InvalidDataError("breaks a rule"));
}
