import { expect, test } from "vitest";
import type { VariableEntry } from "../../../src/domain/source.js";
import { selectedEntry, withList, withTypedFilter } from "../../../src/tui/reading/selection.js";
import type { State } from "../../../src/tui/state/state.js";
import { entry, readyState } from "../support/state.js";

function many(): VariableEntry[] {
  return Array.from({ length: 100 }, (_, index) => entry(`V_${index}`, index, "NUMBER"));
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
