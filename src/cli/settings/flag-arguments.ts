import { type Command, InvalidArgumentError, Option } from "commander";
import { DURATION_EXAMPLES, durationMs, utcMs } from "../../domain/duration.js";
import { UsageError } from "../../domain/errors.js";
import { isVariableType, VARIABLE_TYPES, type VariableType } from "../../domain/variable.js";

// Parsers for the arguments of flags. All throw InvalidArgumentError, to which commander adds the flag's name.

/** `90s`, `30m`, `24h` or `7d`. Returns milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = durationMs(text) ?? 0;
  return valid(milliseconds, milliseconds > 0, `a time such as ${DURATION_EXAMPLES}`);
}

/**
 * A time: a date such as `2026-01-31`, which begins at midnight UTC, `2026-01-31T12:00:00Z`, or a length of time from now.
 * Returns Unix milliseconds.
 *
 * @param now Unix milliseconds @param direction -1 for a length of time before now
 */
export function parseTime(text: string, now: number, direction: 1 | -1): number {
  const length = durationMs(text);
  const time = length === undefined ? utcMs(text) : now + direction * length;
  return valid(time, Number.isFinite(time), `a date such as 2026-01-31, or a time such as ${DURATION_EXAMPLES}`);
}

/** `90`, `0.5`, `90s` or `12h`: seconds, or a time with its unit. Returns seconds, NaN for another text. */
export function secondsOf(text: string): number {
  const [, seconds] = /^(\d+(?:\.\d+)?)s?$/.exec(text) ?? [];
  return seconds === undefined ? (durationMs(text) ?? Number.NaN) / 1_000 : Number(seconds);
}

/** A variable's type, in any case. */
export function parseType(text: string): VariableType {
  const type = text.toUpperCase();
  if (!isVariableType(type)) throw new InvalidArgumentError(`It must be one of ${VARIABLE_TYPES.join(", ")}.`);
  return type;
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
 * `--cache 12h` or `--watch 5m` would read the variable or run the program of that name: neither is likely to exist.
 *
 * @param own the first words of `argv`, without those of another program
 * @param options those of the command: the ones added by `addInlineOption` are checked
 * @throws UsageError
 */
export function refuseSeparateTime(argv: readonly string[], own: readonly string[], options: readonly Option[]): void {
  for (const { long, flags } of options) {
    const [, name] = /\[=([^[]+)\]$/.exec(flags) ?? [];
    if (!long || name === undefined || !own.includes(long)) continue;
    const time = argv[own.indexOf(long) + 1] ?? "";
    if (/^\d+(\.\d+)?[smhd]?$/.test(time)) throw new UsageError(`the ${name} follows ${long} after =: ${long}=${time}`);
  }
}

/** @param rule of the argument */
export function valid<T>(value: T, isValid: boolean, rule: string): T {
  if (!isValid) throw new InvalidArgumentError(`It must be ${rule}.`);
  return value;
}
