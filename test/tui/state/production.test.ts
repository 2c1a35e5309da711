import { expect, it } from "vitest";
import { isProduction } from "../../../src/tui/state/production.js";

it.each(["production", "shop/PROD", "eu-prod-1", "shop/prod2", "Production (eu)"])("%s is production", (name) => {
  expect(isProduction({ name })).toBe(true);
});

it.each(["prod/test", "products", "reproduction", "preprod", "pre-production", "shop/non_prod", "staging", ""])(
  "%j is not production",
  (name) => {
    expect(isProduction({ name })).toBe(false);
  },
);

it("a place is production if its identity is", () => {
  expect(isProduction({ name: "work", identity: "shop/production" })).toBe(true);
});
