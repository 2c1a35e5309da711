import { isIP } from "node:net";
import { type Endpoint, parseEndpoint } from "../../../kit/net/endpoint.js";
import { isProxyRange } from "../../../kit/net/proxy-range.js";
import { parseDurationMs } from "../../../kit/text/duration.js";
import { DEFAULT_HOST, DEFAULT_RATE_LIMIT, DEFAULT_RATE_WINDOW } from "../../../model/defaults.js";
import type { Tolerance } from "../../../signing/sign.js";
import { requireValid } from "../../arguments/flag-arguments.js";
import { ArgumentError } from "../../arguments/parse-line.js";

const MAX_WINDOW_MS = 86_400_000;

export function createWholeNumberParser(
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  const bounds = max < Number.MAX_SAFE_INTEGER ? `${min} to ${max}` : min;
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return requireValid(number, number >= min && number <= max, `a whole number from ${bounds}`);
  };
}

export const NO_WORKERS =
  "is no longer supported: run several servers behind a load balancer (docs/scaling.md), " +
  "each with --trust-proxy, or all clients share one counter";
export const NO_RATE_LIMIT_STORE =
  "is no longer supported: each server counts requests by itself, " +
  "so that several allow as many times the limit (docs/scaling.md)";

/** `10.0.0.0/8, loopback`. */
export function parseTrustProxy(text: string): string[] {
  const ranges = text.split(",").map((range) => range.trim());
  const everybody = ranges.find((range) => range.endsWith("/0") && isIP(range.slice(0, -2)) !== 0);
  if (everybody !== undefined)
    throw new ArgumentError(
      `${everybody}: a range of all addresses would let clients choose their address.`,
    );
  const rule =
    "addresses or CIDR ranges separated by commas, such as 10.0.0.0/8,2001:db8::1, or loopback";
  return requireValid(ranges, ranges.every(isProxyRange), rule);
}

/** `9464`, or `10.0.0.5:9464`. */
export function parseListenAddress(text: string): Endpoint {
  const [, host, port] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? [];
  // The port is left out, since it may be 0 here.
  const address = host === undefined ? { host: DEFAULT_HOST } : parseEndpoint(host, 1);
  const rule = "a port from 0 to 65535, or an address and a port such as 10.0.0.5:9464";
  const endpoint = { host: address?.host ?? "", port: Number(port) };
  return requireValid(endpoint, address !== undefined && endpoint.port <= 65_535, rule);
}

/** `300/60`, or `300`: seconds in the past and in the future. */
export function parseClockTolerance(text: string): Partial<Tolerance> {
  const [, past, , future] = /^(\d{1,9})(\/(\d{1,9}))?$/.exec(text) ?? [];
  const tolerance = { past: Number(past), ...(future !== undefined && { future: Number(future) }) };
  const rule = "seconds in the past and in the future, such as 300/60 or 300";
  return requireValid(tolerance, past !== undefined, rule);
}

/** `7500/60s`, or `7500` for 60 s. */
export function parseRateLimit(text: string): { rateLimit: number; rateWindow: number } {
  const [, limit, , time = `${DEFAULT_RATE_WINDOW}s`] = /^(\d{1,15})(\/(.+))?$/.exec(text) ?? [];
  const windowMs = parseDurationMs(time) ?? 0;
  const isValid = limit !== undefined && windowMs > 0 && windowMs <= MAX_WINDOW_MS;
  const rule = "requests in a time of up to a day, such as 7500/60s or 7500, or 0 for no limit";
  return requireValid({ rateLimit: Number(limit), rateWindow: windowMs / 1_000 }, isValid, rule);
}

export const RATE_LIMIT = {
  "--rate-limit <requests[/time]>": {
    help: "requests allowed in a time, 0 for no limit",
    parse: parseRateLimit,
    default: `${DEFAULT_RATE_LIMIT}/${DEFAULT_RATE_WINDOW}s`,
  },
} as const;
