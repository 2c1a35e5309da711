import { expect, it } from "vitest";
import { isProduction } from "../../../src/tui/state/places.js";

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
