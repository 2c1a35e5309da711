import { expect, it } from "vitest";
import { moveInPanel } from "../../../src/tui/commands/navigate.js";
import { openPlace } from "../../../src/tui/reading/loading.js";
import { placesPanel } from "../../../src/tui/screens/places.js";
import type { PlaceInfo } from "../../../src/tui/state/loaded.js";
import type { State } from "../../../src/tui/state/state.js";
import { ENTRIES, readyState } from "../support/state.js";

function place(name: string, group: string, identity?: string): PlaceInfo {
  return { name, group, identity, kind: "environment", detail: "" };
}

const SHOP = ["development", "production"].map((name) => place(`shop/${name}`, "shop"));
const PLACES = [...SHOP, place("staging", "https://vars.example.com", "key k1"), place("local", "/srv/app/vars.json")];
const OPEN: State = readyState(ENTRIES, { places: PLACES, placeCursor: 1 });

function textOf({ lines }: ReturnType<typeof placesPanel>): string[] {
  return lines.map((line) => line.map(({ text }) => text).join("")).map((text) => text.trimEnd());
}

function panelText(state: State, height = 20, width = 22): string[] {
  return textOf(placesPanel(state, { width, height }, true));
}

it("places are listed below the heading of their group, with the open one, the cursor and their health", () => {
  expect(panelText(OPEN)).toEqual([
    " shop",
    " ● development    ✓",
    "›  production     ·",
    " vars.example.com",
    "   staging        ·",
    " vars.json",
    "   local          ·",
  ]);
});

it.each([
  [{ isComplete: false }, "…"],
  [{ problem: "the file is gone" }, "!"],
  [{ isComplete: false, failure: { code: "unauthorized", message: "refused" } }, "✗"],
] as const)("the health of an open place with %j is %s", (loaded, sign) => {
  const state = readyState(ENTRIES, { places: PLACES, loaded });
  expect(panelText(state)[1]?.at(-1)).toBe(sign);
});

it("a place keeps its health when another place is opened, unless it was not read to the end", () => {
  const [second] = openPlace(OPEN, 1);
  const [third] = openPlace(second, 2);
  expect(panelText(third).map((text) => text.at(-1))).toEqual(["p", "✓", "·", "m", "…", "n", "·"]);
});

it("production is shown in a warning color, whether it is open or not", () => {
  for (const state of [OPEN, readyState(ENTRIES, { places: PLACES, place: 1 })])
    expect(placesPanel(state, { width: 22, height: 20 }, false).lines[2]?.[1]?.role).toBe("warning");
});

it("a list of places that is too long scrolls with the cursor, and shows its length", () => {
  const places = Array.from({ length: 50 }, (_, index) => place(`p${index}`, index < 25 ? "a" : "b"));
  for (const [placeCursor, first, last] of [
    [0, " a", "   p5"],
    [25, "   p23", "   p28"],
    [49, "   p43", "›  p49"],
  ] as const) {
    const state = readyState(ENTRIES, { places, place: 20, placeCursor });
    const lines = panelText(state, 9);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([
      7,
      expect.stringContaining(first),
      expect.stringContaining(last),
    ]);
    expect(lines.filter((line) => line.startsWith(`›  p${placeCursor} `))).toHaveLength(1);
    expect(placesPanel(state, { width: 22, height: 9 }, true).footnote).toBe(`${placeCursor + 1}/50`);
  }
});

it("a wide list of places shows their details and the whole name of their group", () => {
  const lines = textOf(placesPanel({ ...OPEN, placeCursor: 2 }, { width: 80, height: 20 }, true));
  expect(lines).toContain(" https://vars.example.com");
  expect(lines.find((line) => line.startsWith("›"))).toMatch(/^› {2}staging +· {2}key k1$/);
  expect(lines).toContain(" /srv/app/vars.json");
});

it("a place that is added later stands with its group, and the cursor follows the order of the list", () => {
  const state = readyState(ENTRIES, { places: [...PLACES, place("shop/qa", "shop")], placeCursor: 1, focus: "places" });
  expect(panelText(state).slice(0, 5)).toEqual([
    " shop",
    " ● development    ✓",
    "›  production     ·",
    "   qa             ·",
    " vars.example.com",
  ]);
  const cursorAfter = (...keys: string[]) => keys.reduce((now, key) => moveInPanel(now, key)[0], state).placeCursor;
  expect([cursorAfter("down"), cursorAfter("down", "down"), cursorAfter("down", "down", "up")]).toEqual([4, 2, 4]);
});
