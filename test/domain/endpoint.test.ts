import { expect, it } from "vitest";
import { otherScheme } from "../../src/domain/endpoint.js";

it.each([
  ["http://a:1", "https://a:1"],
  ["https://a:1", "http://a:1"],
  ["https://a", "http://a:443"],
  ["http://[::1]", "https://[::1]:80"],
])("the other scheme of %s is that of %s", (url, other) => {
  expect(otherScheme(new URL(url)).origin).toBe(other);
});
