import { expect, test } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
import { ticked } from "../../../src/tui/program/program.js";
import { loaded, openPlace, progressed } from "../../../src/tui/reading/loading.js";
import { selectedEntry, withList, withTypedFilter } from "../../../src/tui/reading/selection.js";
import type { State } from "../../../src/tui/state/state.js";
import { entry, NOW, readyState } from "../support/state.js";

function many(): VariableEntry[] {
  return Array.from({ length: 100 }, (_, index) => entry(`V_${index}`, index, "NUMBER"));
}

function read(state: State, entries: readonly VariableEntry[]): State {
  return loaded(state, { entries, asOf: NOW, problem: undefined, requests: 2, now: NOW });
}

const selected = (state: State) => selectedEntry(state)?.variable.name;

test("a variable that was found with a filter is selected and visible once the filter is cleared", () => {
  const found = withTypedFilter(readyState(many()), "v_87");
  const { list } = withList(found, { filter: "" });
  expect(list).toMatchObject({ cursor: 87, filter: "" });
  expect(list.top).toBeGreaterThan(70);
});

test("a filter without matches doesn't lose the variable", () => {
  const at = withTypedFilter(readyState(many()), "v_42");
  const none = withTypedFilter(withTypedFilter(at, "v_42x"), "v_42xy");
  expect([selected(none), selected(withList(none, { filter: "" }))]).toEqual([undefined, "V_42"]);
});

test("a variable stays selected in another environment, in whichever page it arrives", () => {
  const [opened] = openPlace(withTypedFilter(readyState(many()), "v_42"), 1);
  const there = many();
  const first = progressed(withList(opened, { filter: "" }), there.slice(0, 20), 100);
  expect(selected(first)).toBe("V_0");
  const second = progressed(first, there.slice(0, 60), 100);
  expect([selected(second), selected(read(second, there))]).toEqual(["V_42", "V_42"]);
});

test("an environment without the variable doesn't make the next one forget it", () => {
  const all = many();
  const at = withTypedFilter(readyState(all), "v_42");
  const without = read(openPlace(withList(at, { filter: "" }), 1)[0], all.slice(0, 5));
  expect(selected(without)).toBe("V_0");
  expect(selected(read(openPlace(without, 0)[0], all))).toBe("V_42");
});

test("a filter for recent changes follows them, and is empty once they are old", () => {
  const before = many();
  const filtered = withTypedFilter(readyState(before), "changed");
  const changed = read(filtered, [...before.slice(0, 99), entry("V_99", -1, "NUMBER")]);
  expect([filtered.list.rows, selected(changed)]).toEqual([[], "V_99"]);
  const [later] = ticked(changed, NOW + 60_000);
  expect(later.list.rows).toEqual([]);
});
