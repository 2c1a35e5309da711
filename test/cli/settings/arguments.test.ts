import { InvalidArgumentError } from "commander";
import { describe, expect, it } from "vitest";
import {
  parseLatency,
  parseShare,
  parseSize,
  parseSkew,
  parseTrustProxy,
  wholeNumber,
} from "../../../src/cli/settings/arguments.js";

describe("a number on the command line", () => {
  it.each([
    ["a latency", parseLatency, "200", { least: 200, most: 200 }],
    ["no latency", parseLatency, "0", { least: 0, most: 0 }],
    ["a range of latencies", parseLatency, "100-500", { least: 100, most: 500 }],
    ["a share", parseShare, "0.25", 0.25],
    ["a share without its zero", parseShare, ".25", 0.25],
    ["the share of all", parseShare, "1", 1],
    ["the share of none", parseShare, "0", 0],
    ["a clock that is ahead", parseSkew, "400", 400],
    ["a clock that is ahead, with a sign", parseSkew, "+400", 400],
    ["a clock that is behind", parseSkew, "-400", -400],
    ["a size", parseSize, "64MB", 67_108_864],
    ["a size in small letters", parseSize, "10kb", 10_240],
    ["a size in bytes", parseSize, "1000", 1_000],
    ["the largest size", parseSize, "512MB", 536_870_912],
    ["the least whole number", wholeNumber(1, 9), "1", 1],
    ["the largest whole number", wholeNumber(1, 9), "9", 9],
  ])("is %s", (_what, parse: (text: string) => unknown, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ["latency", parseLatency, ["", "x", "-5", "1.5", "500-100", "1-2-3", "100-", "1000000"]],
    ["share", parseShare, ["", "1.1", "2", "-0.1", "30%", "1e-1", ".", "NaN"]],
    ["skew", parseSkew, ["", "1.5", "1h", "--4", "100000000"]],
    ["size", parseSize, ["", "0", "-1MB", "1.5MB", "64 MB", "64M", "513MB", "1GB", "536870913"]],
    ["whole number", wholeNumber(1, 9), ["", "0", "10", "1.5", "-1", "0x5"]],
  ])("is refused as a %s otherwise", (_what, parse: (text: string) => unknown, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(InvalidArgumentError);
  });
});

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
