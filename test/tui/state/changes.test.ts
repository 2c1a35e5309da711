import { expect, test } from "vitest";
import { changesBetween, summarize } from "../../../src/tui/state/changes.js";
import { entry } from "../support/state.js";

const port = entry("PORT", 3000, "NUMBER");
const url = entry("URL", "a");

function withValue<T extends typeof port>(item: T, value: string): typeof port {
  return { ...item, value: item.value && { ...item.value, content: { value } } };
}

test("finds what was added, changed and removed", () => {
  const other = entry("NEW", 1);
  expect(changesBetween([port, url], [withValue(url, "b"), other])).toEqual({
    added: ["NEW"],
    changed: ["URL"],
    removed: ["PORT"],
  });
});

test("new objects with the same content are no change", () => {
  expect(changesBetween([port], [structuredClone(port)])).toEqual({ added: [], changed: [], removed: [] });
});

test("a value that came or went is a change of its variable", () => {
  expect(changesBetween([port], [{ ...port, value: undefined }]).changed).toEqual(["PORT"]);
});

test("a few are told by name, many by number, and values never", () => {
  expect(summarize({ added: ["A"], changed: [], removed: ["B", "C"] })).toBe("added: A; removed: B, C");
  expect(summarize({ added: [], changed: ["A", "B", "C", "D"], removed: [] })).toBe("changed: 4 variables");
  expect(summarize({ added: [], changed: [], removed: [] })).toBeUndefined();
});
