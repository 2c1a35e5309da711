import { expect, it } from "vitest";
import { parseChanges } from "../../src/etcd/log.js";
import { InvalidDataError } from "../../src/kit/text/errors.js";

it.each([
  [
    '{"list":"values","before":null,"after":{"id":12345678901234567890}}',
    "line 1, column 46: a number that",
  ],
  [
    '{"list":"values","list":"variables","before":null,"after":null}',
    "line 1, column 18: a duplicate key",
  ],
])("a stored change that JSON.parse would alter is refused: %s", (text, problem) => {
  expect(() => [...parseChanges(Buffer.from(text))]).toThrow(InvalidDataError);
  expect(() => [...parseChanges(Buffer.from(text))]).toThrow(`is not valid JSON: ${problem}`);
});
