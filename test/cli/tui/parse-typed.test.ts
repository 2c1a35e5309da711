import { expect, it } from "vitest";
import { parseTyped } from "../../../src/cli/tui/editor.js";

it.each([
  ["1 000", "no spaces or line breaks"],
  ["1,5", "a point for decimals"],
  ["0042", "no 0 before other digits"],
  ["+42", "starts with no +"],
  ["12345678901234567890123", "precision of a double"],
  ["0x42", "consists of digits"],
])("the refusal of a NUMBER gives the reason: %s", (text, message) => {
  expect(() => parseTyped(text, "NUMBER")).toThrow(message);
  expect(() => parseTyped(text, "NUMBER")).not.toThrow(text);
});
