import { expect, test } from "vitest";
import { changesBetween, summarize } from "../../../src/tui/reading/loading.js";
import { entry } from "../support/state.js";

const port = entry("PORT", 3000, "NUMBER");
const url = entry("URL", "a");

function withValue<T extends typeof port>(item: T, value: string): typeof port {
  return { ...item, value: item.value && { ...item.value, content: { value } } };
}

test("changes contain added, changed and removed names", () => {
  const other = entry("NEW", 1);
  expect(changesBetween([port, url], [withValue(url, "b"), other])).toEqual({
    added: ["NEW"],
    changed: ["URL"],
    removed: ["PORT"],
  });
});

test("new objects with the same content are not a change", () => {
  expect(changesBetween([port], [structuredClone(port)])).toEqual({ added: [], changed: [], removed: [] });
});

test("a value that was added or removed is a change of its variable", () => {
  expect(changesBetween([port], [{ ...port, value: undefined }]).changed).toEqual(["PORT"]);
});

test("the summary names a few variables, counts many, and contains no value", () => {
  expect(summarize({ added: ["A"], changed: [], removed: ["B", "C"] })).toBe("added: A; removed: B, C");
  expect(summarize({ added: [], changed: ["A", "B", "C", "D"], removed: [] })).toBe("changed: 4 variables");
  expect(summarize({ added: [], changed: [], removed: [] })).toBeUndefined();
});
