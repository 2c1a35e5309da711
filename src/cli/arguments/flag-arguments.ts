import { InvalidArgumentError, Option } from "commander";
import { DURATION_EXAMPLES, durationMs, secondsOf, utcMs } from "../../kit/text/duration.js";
import { UsageError } from "../../kit/text/errors.js";
import { isVariableType, VARIABLE_TYPES, type VariableType } from "../../model/variable.js";

// Parsers for the arguments of flags. All throw InvalidArgumentError, to which commander adds the
// flag's name.

/** `90s`, `30m`, `24h` or `7d`. Returns milliseconds. */
export function parseDuration(text: string): number {
  const milliseconds = durationMs(text) ?? 0;
  return valid(milliseconds, milliseconds > 0, `a time such as ${DURATION_EXAMPLES}`);
}

/**
 * A time: a date such as `2026-01-31`, which begins at midnight UTC, `2026-01-31T12:00:00Z`, or a
 * length of time from now. Returns Unix milliseconds.
 *
 * @param now Unix milliseconds @param direction -1 for a length of time before now
 */
export function parseTime(text: string, now: number, direction: 1 | -1): number {
  const length = durationMs(text);
  const time = length === undefined ? utcMs(text) : now + direction * length;
  return valid(
    time,
    Number.isFinite(time),
    `a date such as 2026-01-31, or a time such as ${DURATION_EXAMPLES}`,
  );
}

/** A variable's type, in any case. */
export function parseType(text: string): VariableType {
  const type = text.toUpperCase();
  if (!isVariableType(type))
    throw new InvalidArgumentError(`It must be one of ${VARIABLE_TYPES.join(", ")}.`);
  return type;
}

/** An option whose value, if there is one, follows `=`: commander alone would use the next word. */
export class InlineOption extends Option {
  /** @param value for the flag alone */
  constructor(
    override flags: `${string}[=${string}]`,
    description: string,
    readonly value: string,
  ) {
    super(flags.replace("[=", " ["), description);
  }

  /**
   * The word for the flag alone.
   *
   * @throws UsageError if a time follows, which hardly names a variable or a program
   */
  inline(next = ""): string {
    if (Number.isNaN(secondsOf(next))) return `${this.long}=${this.value}`;
    const [, name] = this.flags.split(/[=\]]/);
    throw new UsageError(`the ${name} follows ${this.long} after =: ${this.long}=${next}`);
  }
}

/** @param rule of the argument */
export function valid<T>(value: T, isValid: boolean, rule: string): T {
  if (!isValid) throw new InvalidArgumentError(`It must be ${rule}.`);
  return value;
}
