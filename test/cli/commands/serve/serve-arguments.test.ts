import { describe, expect, it } from "vitest";
import {
  parseClockTolerance,
  parseListenAddress,
  parseTrustProxy,
} from "../../../../src/cli/commands/serve/serve-arguments.js";

describe("--trust-proxy", () => {
  it.each([
    ["loopback, 10.0.0.1", ["loopback", "10.0.0.1"]],
    [" 10.0.0.0/8 ,\t2001:db8::/32 ", ["10.0.0.0/8", "2001:db8::/32"]],
  ])("takes spaces around the entries of %j", (text, expected) => {
    expect(parseTrustProxy(text)).toEqual(expected);
  });

  it.each([
    ["0.0.0.0/0", /^0\.0\.0\.0\/0: a range of all addresses/],
    ["loopback, ::/0", /^::\/0: a range of all addresses/],
    ["proxy.example/0", /^It must be addresses or CIDR ranges/],
    ["10.0.0.1,", /^It must be addresses or CIDR ranges/],
    ["10.0.0.1 10.0.0.2", /^It must be addresses or CIDR ranges/],
  ])("refuses %j", (text, message) => {
    expect(() => parseTrustProxy(text)).toThrow(message);
  });
});

it.each([
  ["9464", { host: "127.0.0.1", port: 9464 }],
  ["0.0.0.0:0", { host: "0.0.0.0", port: 0 }],
  ["[::1]:9464", { host: "::1", port: 9464 }],
])("--metrics %s is a location to listen on", (text, expected) => {
  expect(parseListenAddress(text)).toEqual(expected);
});

it.each(["", "x", "65536", ":1", "a b:1", "127.0.0.1", "::1:1"])("--metrics refuses %j", (text) => {
  expect(() => parseListenAddress(text)).toThrow(/^It must be a port/);
});

it("--clock-tolerance has seconds in the past, and after a slash in the future", () => {
  expect([parseClockTolerance("10"), parseClockTolerance("10/0")]).toEqual([
    { past: 10 },
    { past: 10, future: 0 },
  ]);
  for (const text of ["", "-1", "1/", "/1", "1.5", "5s"])
    expect(() => parseClockTolerance(text)).toThrow(/^It must be/);
});
