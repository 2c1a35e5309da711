import { type Command, Option } from "commander";
import { secondsOf } from "../../kit/text/duration.js";
import { DEFAULT_CACHE_S, MAX_KEPT_S } from "../../model/defaults.js";
import { InlineOption, valid } from "./flag-arguments.js";

/**
 * Adds `--cache[=AGE]`, which parses to the maximum age of a cached answer in seconds: `cache` of
 * `openSource`. Only the form with `=` has an age, so that `--cache NAME` does not use NAME as one.
 * Also `--offline`, which implies it.
 */
export function addCacheOptions(command: Command): Command {
  const about =
    "cache answers, encrypted, and use them while the server can't be reached, up to this age: seconds or a time such " +
    "as 12h (default 24h)";
  const age = new InlineOption("--cache[=age]", about, String(DEFAULT_CACHE_S)).argParser(
    parseCacheAge,
  );
  return command
    .addOption(age)
    .addOption(
      new Option("--offline", "use cached answers only, and send nothing to the server")
        .implies({ cache: DEFAULT_CACHE_S })
        .conflicts("watch"),
    );
}

/** Whole seconds, or a time such as `12h`. Returns seconds. */
export function parseCacheAge(text: string): number {
  const seconds = secondsOf(text);
  const rule =
    "whole seconds or a time such as 12h, from 1 second to 30 days; omit --cache to cache nothing";
  return valid(seconds, Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_KEPT_S, rule);
}
