import { expect, it } from "vitest";
import { InvalidDataError } from "../../src/domain/errors.js";
import { parseChanges } from "../../src/store/stored-changes.js";

it.each([
  [
    '{"list":"values","before":null,"after":{"id":12345678901234567890}}',
    "line 1, column 46: a number that",
  ],
  [
    '{"list":"values","list":"variables","before":null,"after":null}',
    "line 1, column 18: the same key twice",
  ],
])("a stored change that JSON.parse would alter is refused: %s", (text, problem) => {
  expect(() => [...parseChanges(Buffer.from(text))]).toThrow(InvalidDataError);
  expect(() => [...parseChanges(Buffer.from(text))]).toThrow(`is not valid JSON: ${problem}`);
});
