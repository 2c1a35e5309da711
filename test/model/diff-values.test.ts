import { expect, it } from "vitest";
import { diffValues } from "../../src/model/diff-values.js";
import type { NamedValue } from "../../src/model/variable.js";

const text = (name: string, value: string): NamedValue => ({ name, type: "STRING", value });

it("diffValues lists added, removed and changed values, by name", () => {
  const before = [text("SAME", "1"), text("GONE", "2"), text("CHANGED", "3")];
  const after = [text("NEW", "4"), text("CHANGED", "5"), text("SAME", "1")];
  expect(diffValues(before, after)).toEqual([
    { kind: "changed", name: "CHANGED", before: text("CHANGED", "3"), after: text("CHANGED", "5") },
    { kind: "removed", name: "GONE", before: text("GONE", "2") },
    { kind: "added", name: "NEW", after: text("NEW", "4") },
  ]);
});

it("diffValues reports a change of type", () => {
  expect(
    diffValues([text("PORT", "1")], [{ name: "PORT", type: "NUMBER", value: 1 }]),
  ).toHaveLength(1);
});

it("diffValues ignores the order of JSON keys", () => {
  const json = (value: object): NamedValue => ({ name: "J", type: "JSON", value: value as never });
  expect(diffValues([json({ a: 1, b: [1, 2] })], [json({ b: [1, 2], a: 1 })])).toEqual([]);
  expect(diffValues([json({ a: [1, 2] })], [json({ a: [2, 1] })])).toHaveLength(1);
});

it("diffValues handles names that objects inherit", () => {
  expect(diffValues([], [text("__proto__", "x"), text("constructor", "y")])).toHaveLength(2);
});
