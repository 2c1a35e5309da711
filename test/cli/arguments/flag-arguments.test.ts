import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/cli/arguments/parse-line.js";
import { parseLatency, parseShare, parseSkew } from "../../../src/cli/commands/serve/sandbox.js";
import {
  createWholeNumberParser,
  parseRateLimit,
} from "../../../src/cli/commands/serve/serve-arguments.js";
import { parseSecondsText } from "../../../src/kit/text/duration.js";

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
    ["a rate limit", parseRateLimit, "100/5m", { rateLimit: 100, rateWindow: 300 }],
    ["a rate limit for 60 s", parseRateLimit, "100", { rateLimit: 100, rateWindow: 60 }],
    ["no rate limit", parseRateLimit, "0", { rateLimit: 0, rateWindow: 60 }],
    ["seconds", parseSecondsText, "30", 30],
    ["a part of a second", parseSecondsText, "0.1s", 0.1],
    ["minutes", parseSecondsText, "5m", 300],
    ["hours", parseSecondsText, "1h", 3_600],
    ["no time", parseSecondsText, "5x", Number.NaN],
    ["the least whole number", createWholeNumberParser(1, 9), "1", 1],
    ["the largest whole number", createWholeNumberParser(1, 9), "9", 9],
  ])("is %s", (_what, parse: (text: string) => unknown, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    ["latency", parseLatency, ["", "x", "-5", "1.5", "500-100", "1-2-3", "100-", "1000000"]],
    ["share", parseShare, ["", "1.1", "2", "-0.1", "30%", "1e-1", ".", "NaN"]],
    ["skew", parseSkew, ["", "1.5", "1h", "--4", "100000000"]],
    ["rate limit", parseRateLimit, ["", "1.5", "-1", "5/", "5/0s", "5/60", "5/2d", "/60s"]],
    ["whole number", createWholeNumberParser(1, 9), ["", "0", "10", "1.5", "-1", "0x5"]],
  ])("is refused as a %s otherwise", (_what, parse: (text: string) => unknown, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(ArgumentError);
  });
});
