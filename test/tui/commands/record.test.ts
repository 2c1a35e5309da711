import { expect, it } from "vitest";
import { update } from "../../../src/tui/program/update.js";
import { layoutOf } from "../../../src/tui/state/layout.js";
import type { State } from "../../../src/tui/state/state.js";
import { recordLines, recordPanel } from "../../../src/tui/view/record-panel.js";
import { entry, NOW, press, readyState, type } from "../support/state.js";

const entries = [
  entry("FLAGS", { beta: [1, { deep: true }], name: "light", none: {} }, "JSON"),
  entry("TEXT", `${"line\n".repeat(50)}needle\n${"line\n".repeat(50)}a Needle across the line`),
];
const revealed = { names: "all", decrypted: new Map(), until: NOW + 1_000 } as const;
const shown = readyState(entries, { revealed, focus: "record" });

/** The state after keys; a word is typed letter by letter. */
function typed(state: State, ...keys: string[]): State {
  const all = keys.flatMap((key) => (key.length > 1 && !key.startsWith("/") ? [press(key)] : [...key].map(type)));
  return all.reduce((before, key) => update(before, { type: "key", key })[0], state);
}

function value(state: State): string[] {
  const lines = recordLines(state, 40).map((line) => line.map(({ text }) => text).join(""));
  return lines.slice(lines.indexOf("{"));
}

it("z folds JSON to its first level, then unfolds it level by level", () => {
  const first = typed(shown, "z");
  expect(value(first)).toEqual(["{", '  "beta": [ … 2 ],', '  "name": "light",', '  "none": {}', "}"]);
  const second = typed(first, "z");
  expect(value(second).slice(1, 5)).toEqual(['  "beta": [', "    1,", "    { … 1 }", "  ],"]);
  expect(value(typed(second, "z"))).toEqual(value(shown));
});

it("a folded value stays folded while another one is selected", () => {
  const other = typed({ ...shown, focus: "variables" }, "z", "down");
  expect(value(typed(other, "up"))).toContain('  "beta": [ … 2 ],');
});

it("a value that isn't shown can be neither folded nor searched", () => {
  for (const key of ["z", "/"]) {
    const { notice, mode } = typed({ ...shown, revealed: undefined }, key);
    expect([notice?.text, mode.kind]).toEqual(["the value is masked; v shows it", "browse"]);
  }
});

/** The value of TEXT, with the marks in the visible lines: `[light]`, and the current match as `<light>`. */
function marks(state: State): string[] {
  const size = layoutOf(state).record;
  const { lines } = recordPanel(state, size ?? { width: 0, height: 0 });
  return lines.flatMap((line) =>
    line.filter(({ role }) => role === "match").map(({ text, isInverse }) => (isInverse ? `<${text}>` : `[${text}]`)),
  );
}

const text: State = { ...shown, columns: 60, list: { ...shown.list, cursor: 1 } };

it("a search in the value goes to the first match while it is typed, and n and N to the others", () => {
  const found = typed(text, "/needle");
  expect(marks(found)).toEqual(["<needle>"]);
  const { recordTop } = found;
  expect(recordTop).toBeGreaterThan(30);
  const next = typed(found, "enter", "n");
  expect(next.recordTop).toBeGreaterThan(recordTop + 30);
  expect(marks(next).join("")).toMatch(/Needle/);
  expect(typed(next, "n").recordTop).toBe(recordTop);
  expect(typed(found, "enter", "N").recordTop).toBe(next.recordTop);
});

it("a match that is wrapped is marked on both lines", () => {
  const [long] = [entry("LONG", `${"x".repeat(15)}needle`)];
  const state = { ...typed({ ...readyState([long as never], { revealed, focus: "record" }) }, "/needle") };
  const { lines } = recordPanel(state, { width: 22, height: 12 });
  const marked = lines.flatMap((line) => line.filter(({ role }) => role === "match").map((span) => span.text));
  expect(marked).toEqual(["nee", "dle"]);
});

it("Escape ends a search, and returns to where it began while it is typed", () => {
  expect(typed(text, "/needle", "escape")).toMatchObject({ recordTop: 0, search: undefined, focus: "record" });
  const ended = typed(text, "/needle", "enter", "escape");
  expect([marks(ended), ended.focus]).toEqual([[], "record"]);
});

it("the title says which of the matches is shown, unless the value is masked", () => {
  const found = typed(text, "/needle", "enter");
  const title = (state: State) => recordPanel(state, { width: 60, height: 20 }).title;
  expect(title(found)).toBe("TEXT  /needle 1/2");
  expect(title(typed(text, "/nothing"))).toBe("TEXT  /nothing not found");
  expect(title({ ...found, revealed: undefined })).toBe("TEXT");
});

it("a search unfolds the value", () => {
  expect(value(typed(shown, "z", "/"))).toEqual(value(shown));
});
