import { type Command, InvalidArgumentError, Option } from "commander";
import { LONGEST_KEPT_S } from "../cache/longest-kept.js";
import { parseDuration } from "./duration.js";

const FLAG = "--cache";

/** A day bridges a night's outage or a journey, and a secret that was rotated is not used for weeks. */
const DEFAULT_CACHE_S = 86_400;

/**
 * Adds `--cache[=SECONDS]`. It parses to the most seconds that a kept answer may be old, which `openSource` takes as
 * `cache`. Only the form with `=` gives them: the NAME of `--cache NAME` is not taken for a value.
 */
export function addCacheOption(command: Command): Command {
  const parse = command.parseOptions.bind(command);
  // commander takes an optional value from the next word too.
  command.parseOptions = (argv) => parse(withDefaultAge(argv));
  const option = new Option(
    `${FLAG} [age]`,
    "keep answers, encrypted, and when the server can't be reached use those of this age at most: seconds or a time " +
      "such as 12h (default 24h)",
  );
  option.flags = `${FLAG}[=age]`;
  return command.addOption(option.argParser(parseCacheAge));
}

function withDefaultAge(argv: readonly string[]): string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  return argv.map((word, index) => (word === FLAG && index < end ? `${FLAG}=${DEFAULT_CACHE_S}` : word));
}

/** Whole seconds, or a time such as `12h`, in seconds. @throws InvalidArgumentError */
export function parseCacheAge(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : durationSeconds(text);
  if (seconds >= 1 && seconds <= LONGEST_KEPT_S) return seconds;
  throw new InvalidArgumentError(
    "It must be whole seconds or a time such as 12h, from 1 second to 30 days; without --cache nothing is kept.",
  );
}

function durationSeconds(text: string): number {
  try {
    return parseDuration(text) / 1_000;
  } catch {
    return Number.NaN;
  }
}
