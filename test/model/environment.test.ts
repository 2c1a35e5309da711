import { describe, expect, it } from "vitest";
import { NotFoundError, UsageError } from "../../src/kit/text/errors.js";
import { findEnvironment, qualifiedName } from "../../src/model/environment.js";

const ENVIRONMENTS = [
  { id: 1, application: "shop", name: "development" },
  { id: 2, application: "shop", name: "production" },
  { id: 3, application: "billing", name: "development" },
];

describe("findEnvironment", () => {
  it.each([
    ["production", 2],
    ["shop/production", 2],
    ["shop/development", 1],
    ["billing/development", 3],
  ])("finds %s", (name, id) => {
    expect(findEnvironment(ENVIRONMENTS, name).id).toBe(id);
  });

  it("asks for the qualified name where the name alone is ambiguous", () => {
    expect(() => findEnvironment(ENVIRONMENTS, "development")).toThrow(
      new UsageError(
        'the environment "development" is ambiguous: name one of shop/development, billing/development',
      ),
    );
  });

  it.each(["Production", "/production", "shop/prodution"])(
    "suggests the name that %j probably is a typo of",
    (name) => {
      expect(() => findEnvironment(ENVIRONMENTS, name)).toThrow(
        /\(did you mean (shop\/)?production\?\)/,
      );
    },
  );

  it.each(["staging", "billing/production", "shop", "shop/", ""])(
    "does not find %j, and names the environments that exist",
    (name) => {
      expect(() => findEnvironment(ENVIRONMENTS, name)).toThrow(
        new NotFoundError(
          `no environment named "${name}"; there is shop/development, shop/production, billing/development`,
        ),
      );
    },
  );

  it("reports that there are no environments", () => {
    expect(() => findEnvironment([], "test")).toThrow(
      new NotFoundError('no environment named "test"; there is none'),
    );
  });
});

describe("the qualified name", () => {
  it("is application, slash, name", () => {
    expect(qualifiedName({ application: "shop", name: "test" })).toBe("shop/test");
  });
});
