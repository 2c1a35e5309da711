import { expect, it } from "vitest";
import { openDiff } from "../../../src/tui/screens/diff.js";
import { isProduction, showsProduction } from "../../../src/tui/state/places.js";
import { ENTRIES, readyState } from "../support/state.js";
import { CONFIRMATION, MATRIX, modeOf } from "../support/test-modes.js";

const kind = "environment";

it.each([
  ...["production", "shop/PROD", "eu-prod-1", "shop/prod2", "Production (eu)", "shop/ProdEU", "shopProd", "SHOPProd"],
  ...["myprod", "prodeu", "EU_PRODUCTION", "productionEU", "storeprod"],
])("%s is production", (name) => {
  expect(isProduction({ name, kind })).toBe(true);
});

it.each([
  ...["prod/test", "products", "Product", "shopProduct", "reproduce", "reproduction", "producer", "staging", ""],
  ...["preprod", "pre-production", "PreProd", "shop/non_prod", "notProd"],
])("%j is not production", (name) => {
  expect(isProduction({ name, kind })).toBe(false);
});

it("a profile is production by its whole name, not by the part after a slash", () => {
  expect(isProduction({ name: "prod/main", kind: "profile" })).toBe(true);
});

it("a place is production if its identity is", () => {
  expect(isProduction({ name: "work", identity: "shop/production", kind: "profile" })).toBe(true);
});

it("the screen is about production while that is open, compared or edited", () => {
  const comparison = modeOf(openDiff(readyState(ENTRIES), 2), "diff");
  const states = [
    readyState(ENTRIES),
    readyState(ENTRIES, { place: 2 }),
    readyState(ENTRIES, { mode: comparison }),
    readyState(ENTRIES, { mode: { ...CONFIRMATION, place: 2 } }),
    readyState(ENTRIES, { place: 2, mode: { ...CONFIRMATION, place: 0 } }),
    readyState(ENTRIES, { mode: { ...MATRIX, place: 2 } }),
  ];
  expect(states.map(showsProduction)).toEqual([false, true, true, true, false, true]);
});
