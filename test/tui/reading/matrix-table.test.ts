import { expect, it } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
import type { JsonValue } from "../../../src/domain/variable.js";
import { type CellKind, cellKind, matrixRows, type Table, tableOf } from "../../../src/tui/reading/matrix-table.js";
import type { Other } from "../../../src/tui/state/loaded.js";
import type { State } from "../../../src/tui/state/state.js";
import { entry, NOW, readyState } from "../support/state.js";

function other(entries?: readonly VariableEntry[]): Other {
  return { isReading: entries === undefined, entries, isLocal: true };
}

/** The open place and two others. */
function opened(own: readonly VariableEntry[], ...others: readonly (readonly VariableEntry[] | undefined)[]): State {
  return readyState(own, { others: new Map(others.map((entries, index) => [index + 1, other(entries)])) });
}

function kinds(table: Table): Record<string, readonly CellKind[]> {
  return Object.fromEntries(
    table.names.map((name, row) => [name, table.columns.map((_, column) => cellKind(table, row, column))]),
  );
}

const JSON_VALUE = { a: 1, b: [2] };
const OWN = [entry("A", "x"), entry("B", JSON_VALUE, "JSON"), entry("C"), entry("D", "envbee:enc:v1:1")];

it("values are compared with that of the open place, or with the first one where it has none", () => {
  const [a, b, , d] = OWN as [VariableEntry, VariableEntry, VariableEntry, VariableEntry];
  const test = [entry("A", "y"), entry("B", { b: [2], a: 1 }, "JSON"), entry("C", 1), entry("D", "envbee:enc:v1:2")];
  const production = [a, { ...b, value: undefined }, entry("C", 2), d];
  expect(kinds(tableOf(opened(OWN, test, production)))).toEqual({
    A: ["same", "differs", "same"],
    B: ["same", "same", "missing"],
    C: ["missing", "same", "differs"],
    D: ["same", "encrypted", "same"],
  });
});

it("a value of another type differs, and an encrypted value can't be compared with a plain one", () => {
  const own = [entry("A", "envbee:enc:v1:1"), entry("B", "envbee:enc:v1:2"), entry("C", 1, "NUMBER")];
  const test = [entry("A", "plain"), entry("B", "envbee:enc:v1:2", "JSON"), entry("C", "1")];
  expect(Object.values(kinds(tableOf(opened(own, test)))).map(([, kind]) => kind)).toEqual([
    "encrypted",
    "differs",
    "differs",
  ]);
});

it("places that are not read yet, or can't be read, don't hide the others", () => {
  const table = tableOf(opened(OWN, undefined, [entry("A", "x")]));
  expect(kinds(table)["A"]).toEqual(["same", "unread", "same"]);
  expect(kinds(table)["B"]).toEqual(["same", "unread", "missing"]);
});

it("variables that exist only elsewhere come after those of the open place", () => {
  const table = tableOf(opened([entry("B", 1)], [entry("A", 1), entry("B", 1)], [entry("C", 2)]));
  expect(kinds(table)).toEqual({
    B: ["same", "same", "missing"],
    A: ["missing", "same", "missing"],
    C: ["missing", "missing", "same"],
  });
});

it("encrypted values are compared while they are decrypted", () => {
  const table = tableOf(opened([entry("A", "envbee:enc:v1:1")], [entry("A", "envbee:enc:v1:2")], [entry("A", "x")]));
  const decrypted = (...texts: readonly string[]) => ({
    names: "all" as const,
    decrypted: new Map(texts.map((text, index) => [`envbee:enc:v1:${index + 1}`, text])),
    until: NOW,
  });
  expect(cellKind(table, 0, 1, decrypted("x"))).toBe("encrypted");
  expect(cellKind(table, 0, 1, decrypted("x", "x"))).toBe("same");
  expect(cellKind(table, 0, 1, decrypted("x", "y"))).toBe("differs");
  expect(cellKind(table, 0, 2, decrypted("x"))).toBe("same");
});

it.each([
  ['{ "beta": true, "a": [1] }', { a: [1], beta: true }, "same"],
  ['{ "beta": true }', { beta: false }, "differs"],
  ["not JSON", { beta: true }, "differs"],
  [" null", null, "same"],
  ["null", "null", "differs"],
] as const)("decrypted JSON is compared as a value: %s", (text, value, kind) => {
  const table = tableOf(opened([entry("A", "envbee:enc:v1:1", "JSON")], [entry("A", value as JsonValue, "JSON")]));
  const revealed = { names: "all" as const, decrypted: new Map([["envbee:enc:v1:1", text]]), until: NOW };
  expect(cellKind(table, 0, 1, revealed)).toBe(kind);
});

it("only differing and only missing rows are listed, and names that match the filter", () => {
  const own = [entry("PORT", 1), entry("HOST", 1), entry("DEBUG", 1), entry("PATH", 1)];
  const test = [entry("PORT", 2), entry("DEBUG", 1), entry("PATH", 2)];
  const table = tableOf(opened(own, test));
  const names = (only: "all" | "differing" | "missing", filter = "") =>
    matrixRows(table, { only, filter }).map((row) => table.names[row]);
  expect(names("all")).toEqual(["PORT", "HOST", "DEBUG", "PATH"]);
  expect(names("differing")).toEqual(["PORT", "PATH"]);
  expect(names("missing")).toEqual(["HOST"]);
  expect(names("all", "po")).toEqual(["PORT"]);
  expect(names("differing", "pat")).toEqual(["PATH"]);
});

it("the table is made once for the same entries", () => {
  const state = opened(OWN, OWN);
  expect(tableOf({ ...state, others: new Map(state.others) })).toBe(tableOf(state));
  expect(tableOf({ ...state, others: new Map([[1, other([entry("A", 1)])]]) })).not.toBe(tableOf(state));
});
