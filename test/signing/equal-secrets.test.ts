import { describe, expect, it } from "vitest";
import { equalSecrets } from "../../src/signing/equal-secrets.js";

describe("equalSecrets", () => {
  it.each([
    ["secret", "secret", true],
    ["", "", true],
    ["sécret", "sécret", true],
    ["secret", "Secret", false],
    ["secret", "secre", false],
    ["secret", "secret ", false],
    ["secret", "", false],
    ["a", "a".repeat(10_000), false],
  ])("tells whether %j and %j are the same, whatever their lengths: %s", (a, b, same) => {
    expect(equalSecrets(a, b)).toBe(same);
    expect(equalSecrets(b, a)).toBe(same);
  });
});
