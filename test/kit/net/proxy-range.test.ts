import { expect, it } from "vitest";
import { isProxyRange, proxyMatcher } from "../../../src/kit/net/proxy-range.js";

it.each([
  "loopback",
  "192.0.2.1",
  "192.0.2.1/32",
  "10.0.0.0/8",
  "2001:db8::1",
  "2001:DB8::/32",
  "::ffff:10.0.0.0/104",
  "::1/128",
])("%s names proxies", (text) => {
  expect(isProxyRange(text)).toBe(true);
});

it.each([
  "",
  " 10.0.0.1",
  "all",
  "uniquelocal",
  "proxy.example",
  "10.0.0.0/0",
  "::/0",
  "10.0.0.0/33",
  "::/129",
  "10.0.0.0/08",
  "10.0.0.0/8/8",
  "10.0.0.0/",
  "/8",
  "10.0.0.0/255.0.0.0",
  "10.1",
  "0x0a000001",
  "010.0.0.1",
  "10.0.0.1:80",
  "[::1]",
  "fe80::1%eth0",
])("%j does not", (text) => {
  expect(isProxyRange(text)).toBe(false);
});

it.each([
  ["loopback", "127.9.9.9", true],
  ["loopback", "::1", true],
  ["loopback", "::ffff:127.0.0.1", true],
  ["10.0.0.0/8", "10.255.255.255", true],
  ["10.0.0.0/8", "::ffff:10.0.0.1", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["2001:db8::/33", "2001:db8:7fff::1", true],
  ["2001:db8::/33", "2001:db8:8000::1", false],
  ["fe80::1", "fe80::1%eth0", true],
])("whether %s contains %s: %s", (range, address, expected) => {
  expect(proxyMatcher([range])(address)).toBe(expected);
});
