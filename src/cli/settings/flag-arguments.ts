import { type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_RATE_LIMIT, DEFAULT_RATE_WINDOW, MAX_KEPT_S } from "../../domain/defaults.js";
import { DURATION_EXAMPLES, durationMs } from "../../domain/duration.js";
import { UsageError } from "../../domain/errors.js";
import { isVariableType, VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";

// Parsers for the arguments of flags. All throw InvalidArgumentError, to which commander adds the flag's name.

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const bounds = max < Number.MAX_SAFE_INTEGER ? `${min} to ${max}` : min;
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return valid(number, number >= min && number <= max, `a whole number from ${bounds}`);
  };
}

/** `100`, or `100-500` for a random time in between, in milliseconds. */
export function parseLatency(text: string): { least: number; most: number } {
  const [, min, max = min] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  const latency = { least: Number(min), most: Number(max) };
  return valid(latency, latency.least <= latency.most, "milliseconds such as 100, or a range such as 100-500");
}

/** `0.25`: a share from 0 to 1. */
export function parseShare(text: string): number {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  return valid(share, share <= 1, "a share from 0 to 1, such as 0.25");
}

/** `400` or `-400`: whole seconds, up to about three years. */
export function parseSkew(text: string): number {
  return valid(
    Number(text),
    /^[+-]?\d{1,8}$/.test(text),
    "whole seconds such as 400, or -400 for a clock that is behind",
  );
}

/** `90s`, `30m`, `24h` or `7d`. Returns milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = durationMs(text) ?? 0;
  return valid(milliseconds, milliseconds > 0, `a time such as ${DURATION_EXAMPLES}`);
}

/** The files of a repeated `--env-file`. */
export function parseEnvFile(text: string, previous: readonly string[] = []): string[] {
  return valid([...previous, text], text !== "-" && text !== "", "a file; stdin is left for the command");
}

/** A variable's type, in any case. */
export function parseType(text: string): VariableType {
  const type = text.toUpperCase();
  if (!isVariableType(type)) throw new InvalidArgumentError(`It must be one of ${VARIABLE_TYPES.join(", ")}.`);
  return type;
}

const MAX_WINDOW_MS = 86_400_000;

/** `7500/60s`, or `7500` for 60 s. */
export function parseRateLimit(text: string): { rateLimit: number; rateWindow: number } {
  const [, limit, , time = `${DEFAULT_RATE_WINDOW}s`] = /^(\d{1,15})(\/(.+))?$/.exec(text) ?? [];
  const windowMs = durationMs(time) ?? 0;
  const isValid = limit !== undefined && windowMs > 0 && windowMs <= MAX_WINDOW_MS;
  const rule = "requests in a time of up to a day, such as 7500/60s or 7500, or 0 for no limit";
  return valid({ rateLimit: Number(limit), rateWindow: windowMs / 1_000 }, isValid, rule);
}

export function rateLimitOption(): Option {
  return new Option("--rate-limit <requests[/time]>", "requests allowed in a time, 0 for no limit")
    .argParser(parseRateLimit)
    .default(
      { rateLimit: DEFAULT_RATE_LIMIT, rateWindow: DEFAULT_RATE_WINDOW },
      `${DEFAULT_RATE_LIMIT}/${DEFAULT_RATE_WINDOW}s`,
    );
}

export const CACHE_FLAG = "--cache";

/** A day bridges an outage at night or a journey, without using a rotated secret for weeks. */
const DEFAULT_CACHE_S = 86_400;

/**
 * Adds `--cache[=AGE]`, which parses to the maximum age of a cached answer in seconds: `cache` of `openSource`. Only the
 * form with `=` has an age, so that `--cache NAME` does not use NAME as one. Also `--offline`, which implies it.
 */
export function addCacheOptions(command: Command): Command {
  return addInlineOption(
    command,
    `${CACHE_FLAG}[=age]`,
    "cache answers, encrypted, and use them while the server can't be reached, up to this age: seconds or a time such " +
      "as 12h (default 24h)",
    String(DEFAULT_CACHE_S),
    parseCacheAge,
  ).addOption(
    new Option("--offline", "use cached answers only, and send nothing to the server")
      .implies({ cache: DEFAULT_CACHE_S })
      .conflicts("watch"),
  );
}

/**
 * Adds an option whose value, if there is one, follows `=`: commander alone would use the next word.
 *
 * @param flags `--cache[=age]`
 * @param value for the flag alone
 */
export function addInlineOption<T>(
  command: Command,
  flags: string,
  description: string,
  value: string,
  parseValue: (text: string) => T,
): Command {
  const [flag = "", name = ""] = flags.split(/[[\]=]+/);
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (argv) => {
    const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
    return parse(argv.map((word, index) => (word === flag && index < end ? `${flag}=${value}` : word)));
  };
  const option = new Option(`${flag} [${name}]`, description).argParser(parseValue);
  option.flags = flags;
  return command.addOption(option);
}

/**
 * `--cache 12h` would read the variable or run the program of that name: neither is likely to exist.
 *
 * @param own the first words of `argv`, without those of another program
 * @throws UsageError
 */
export function refuseSeparateAge(argv: readonly string[], own: readonly string[]): void {
  const age = argv[own.indexOf(CACHE_FLAG) + 1] ?? "";
  if (own.includes(CACHE_FLAG) && /^\d+[smhd]?$/.test(age))
    throw new UsageError(`the age follows ${CACHE_FLAG} after =: ${CACHE_FLAG}=${age}`);
}

/** Whole seconds, or a time such as `12h`. Returns seconds. */
export function parseCacheAge(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : (durationMs(text) ?? 0) / 1_000;
  const rule = "whole seconds or a time such as 12h, from 1 second to 30 days; omit --cache to cache nothing";
  return valid(seconds, seconds >= 1 && seconds <= MAX_KEPT_S, rule);
}

/** @param rule of the argument */
export function valid<T>(value: T, isValid: boolean, rule: string): T {
  if (!isValid) throw new InvalidArgumentError(`It must be ${rule}.`);
  return value;
}
