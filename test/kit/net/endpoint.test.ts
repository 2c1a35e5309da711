import { expect, it } from "vitest";
import { withTls } from "../../../src/kit/net/endpoint.js";

it.each([
  ["http://a:1", "https://a:1"],
  ["http://[::1]", "https://[::1]:80"],
])("%s with TLS is %s", (url, other) => {
  expect(withTls(new URL(url)).origin).toBe(other);
});
