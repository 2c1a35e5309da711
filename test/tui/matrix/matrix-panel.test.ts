import { expect, it } from "vitest";
import { screenContent } from "../../../src/tui/program/screen.js";
import { update } from "../../../src/tui/program/update.js";
import type { Other, PlaceInfo } from "../../../src/tui/state/loaded.js";
import type { Matrix } from "../../../src/tui/state/modes.js";
import type { State } from "../../../src/tui/state/state.js";
import type { Line } from "../../../src/tui/text/line.js";
import { entry, NOW, readyState, SECRET } from "../support/state.js";
import { MATRIX } from "../support/test-modes.js";

const texts = (lines: readonly Line[] = []) =>
  lines.map((line) =>
    line
      .map((span) => span.text)
      .join("")
      .trimEnd(),
  );

function panels(state: State) {
  const [[list, detail] = []] = screenContent(state, []).body;
  return { list: texts(list?.content.lines), detail: texts(detail?.content.lines), content: list?.content };
}

const OWN = [entry("PORT", 3000, "NUMBER"), entry("DATABASE_URL", SECRET)];
const OTHERS: ReadonlyMap<number, Other> = new Map([
  [1, { isReading: true, isLocal: false }],
  [2, { isReading: false, isLocal: true, entries: [entry("PORT", 8080, "NUMBER"), entry("DATABASE_URL")] }],
]);

function shown(change: Partial<State> = {}, matrix: Partial<Matrix> = {}): State {
  return readyState(OWN, { others: OTHERS, mode: { ...MATRIX, cursor: 0, ...matrix }, ...change });
}

it("each cell has a sign and a word, and each place says how its read went", () => {
  const { list } = panels(shown());
  expect(list).toEqual([
    "  NAME          ● development  … test       production",
    "› PORT          = same         … reading    ~ differs",
    "  DATABASE_URL  = same         … reading    - missing",
  ]);
});

it("a place that can't be read says why", () => {
  const failure = { code: "unreachable", message: "no answer" };
  const others = new Map(OTHERS).set(1, { isReading: false, isLocal: false, failure });
  const { list, detail } = panels(shown({ others }, { place: 1 }));
  expect(list[0]).toContain("✗ test");
  expect(list[1]).toContain("? not read");
  expect(detail[1]).toMatch(/› test +✗ no answer/);
});

it("below, the open place says why it can't be read too, and a rate limit counts down", () => {
  const failure = { code: "rate_limited", message: "too many requests", retryAfter: 60 };
  const [state] = update(shown(), { type: "otherRead", place: 1, isLocal: false, failure });
  const limited = {
    ...state,
    now: NOW + 9_000,
    loaded: { ...state.loaded, failure: { code: "", message: "no answer" } },
  };
  const { detail } = panels(limited);
  expect(detail[0]).toContain("✗ no answer");
  expect(detail[1]).toContain("✗ rate limit reached: wait 51 s");
});

it("values are masked below until they are revealed", () => {
  expect(panels(shown()).detail.join("\n")).not.toMatch(/3000|8080/);
  const revealed = { names: new Set(["PORT"]), decrypted: new Map(), until: NOW };
  expect(panels(shown({ revealed })).detail).toEqual([
    " › development  = same       3000",
    "   test",
    "   production   ~ differs    8080",
  ]);
});

it("the value of the place under the cursor has the free lines, the others one each", () => {
  const text = "line\n".repeat(40);
  const revealed = { names: "all", decrypted: new Map(), until: NOW } as const;
  const { detail } = panels({
    ...shown({ rows: 40, revealed }),
    loaded: { ...shown().loaded, entries: [entry("PORT", text)] },
  });
  expect(detail.filter((line) => line.includes("line"))).toHaveLength(3);
  expect(detail.find((line) => line.includes("…"))).toMatch(/line …$/);
  expect(detail).toHaveLength(5);
});

it("places scroll sideways, and the names stay", () => {
  const [place] = readyState().places;
  const places = Array.from({ length: 9 }, (_, index) => ({ ...(place as PlaceInfo), name: `shop/env-${index}` }));
  const headings = (at: number) => panels(shown({ places, columns: 60 }, { place: at })).list[0];
  expect(headings(0)).toBe("  NAME          ● env-0      … env-1      env-2       ›");
  expect(headings(8)).toBe("  NAME        ‹ … env-6      … env-7      … env-8");
});

it("a long name of one place takes room from no other, and the names have the remaining width", () => {
  const [place] = readyState().places;
  const names = ["production-eu-central-1", ...Array.from({ length: 11 }, (_, index) => `env-${index}`)];
  const places = names.map((name) => ({ ...(place as PlaceInfo), name: `shop/${name}` }));
  const { list } = panels(readyState([entry("A_LONG_NAME_WITH_AN_END")], { places, mode: { ...MATRIX, cursor: 0 } }));
  expect(list[0]).toBe("  NAME                     ● production-eu-central-1  … env-0     ›");
  expect(list[1]).toContain("A_LONG_NAME_WITH_AN_END");
});

it("a click selects a cell, and the row on a name", () => {
  const select = (line: number, column: number) => panels(shown()).content?.select?.(shown(), { line, column })?.mode;
  expect(select(2, 50)).toMatchObject({ name: "DATABASE_URL", place: 2 });
  expect(select(2, 5)).toMatchObject({ name: "DATABASE_URL", place: 0 });
  expect(select(0, 5)).toBeUndefined();
  expect(select(3, 5)).toBeUndefined();
});
