import { describe, expect, it } from "vitest";
import { sign } from "../../src/signing/sign.js";

describe("sign", () => {
  // Computed with: printf '<string to sign>' | openssl dgst -sha256 -hmac 'dev-secret'
  it.each([
    [
      { timestamp: 1_700_000_000_000, method: "GET", route: "/v1/variables-values-by-name/DATABASE_URL/content" },
      "HMAC 1700000000000:c748efce2f24fb5fe313d299ff3230e1ce67828dabec001b8007133e1f7e8cf3",
    ],
    [
      { timestamp: 1_700_000_000_000, method: "get", route: "/healthz", bodyHash: "" },
      "HMAC 1700000000000:6bc8ec3c2a8bbc9e492f8b2fe12c1d6401f01c2a750ccc0717fc228768229863",
    ],
  ])("gives the header that another implementation gives for %o", (parts, header) => {
    expect(sign(parts, "dev-secret")).toBe(header);
  });

  it("refuses an empty secret", () => {
    expect(() => sign({ timestamp: 1_700_000_000_000, method: "GET", route: "/" }, "")).toThrow(RangeError);
  });
});
