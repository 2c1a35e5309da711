import { type Command, Option } from "commander";
import { MAX_KEPT_S } from "../../domain/defaults.js";
import { durationMs } from "../../domain/duration.js";
import { UsageError } from "../../domain/errors.js";
import { addInlineOption, valid } from "../settings/flag-arguments.js";

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
