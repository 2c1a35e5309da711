import { parseSecondsText } from "../../kit/text/duration.js";
import { UsageError } from "../../kit/text/errors.js";
import type { OutputFlags } from "../output/output.js";
import {
  type Argument,
  argumentRows,
  type Command,
  type FlagRow,
  flagRows,
  OUTPUT_FLAGS,
} from "./command.js";

/** Thrown for an invalid value. commander adds the flag and the value. */
export class ArgumentError extends UsageError {}

export interface ParsedLine {
  args: Record<string, unknown>;
  flags: Record<string, unknown>;
  output: OutputFlags;
}

/** The words after a command, split into its flags and its arguments. */
export interface SplitLine {
  /**
   * All words, with flags as `--long` or `--long=value`, as commander reads
   * them too.
   */
  words: string[];
  /** `row` is undefined for a flag that the command does not have. */
  flags: { row: FlagRow | undefined; value: string | undefined }[];
  args: string[];
}

/** A flag, for commander: `-` alone is an argument. */
const FLAG = /^-./s;

/**
 * Splits the words after a command: `-nqe test --cache A` has the words
 * `--no-newline --quiet --env=test --cache=86400 A`. For a command that starts
 * a program, `--only A ls --json` has the words `--only=A -- ls --json`, since
 * --json is for ls.
 *
 * @throws UsageError if a time follows a flag whose value follows `=`: it
 *   is unlikely to be a name
 */
export function splitWords(
  words: readonly string[],
  command: Pick<Command, "flags" | "arguments">,
): SplitLine {
  const rows = flagRows({ ...command.flags, ...OUTPUT_FLAGS });
  const line: SplitLine = { words: [], flags: [], args: [] };
  const rest = [...words];
  for (let text = rest.shift(); text !== undefined; text = rest.shift()) {
    if (!text.startsWith("-") && "<command...>" in (command.arguments ?? {})) {
      rest.unshift(text);
      text = "--";
    }
    if (text === "--")
      return { ...line, words: [...line.words, text, ...rest], args: [...line.args, ...rest] };
    const letter = text.length > 2 ? rows.get(text.slice(0, 2)) : undefined;
    if (letter) rest.unshift(letter.placeholder ? text.slice(2) : `-${text.slice(2)}`);
    const [spelling = ""] = letter ? [text] : text.split("=", 1);
    const row = letter ?? rows.get(spelling);
    const value =
      row && (spelling === text ? takeValue(row, rest) : text.slice(spelling.length + 1));
    if (FLAG.test(text)) line.flags.push({ row, value });
    else line.args.push(text);
    line.words.push(row ? row.long + (value === undefined ? "" : `=${value}`) : text);
  }
  return line;
}

function takeValue({ form, long, preset, placeholder }: FlagRow, rest: string[]) {
  const [next = ""] = rest;
  if (placeholder === undefined) return undefined;
  if (preset === undefined) return rest.shift();
  if (!form.includes("[=")) return next === "" || FLAG.test(next) ? preset : rest.shift();
  if (Number.isNaN(parseSecondsText(next))) return preset;
  throw new UsageError(`the ${placeholder} follows ${long} after =: ${long}=${next}`);
}

/**
 * Parses a command line as commander does, but without loading it. Returns
 * `undefined` for a line that has a mistake or needs commander's rules, which
 * then parses or reports it.
 */
export function parseLine(
  line: SplitLine,
  command: Command,
  clock: () => number,
): ParsedLine | undefined {
  const flags: Record<string, unknown> = {};
  const args: Record<string, unknown> = {};
  const rest = [...line.args];
  try {
    for (const { row, value } of line.flags) {
      if (!row || (value === undefined) !== (row.placeholder === undefined)) return undefined;
      const previous = flags[row.name] === false ? undefined : flags[row.name];
      flags[row.name] =
        value === undefined ? !row.isNegative : addValue(row, value, previous, clock);
    }
    for (const row of argumentRows(command)) {
      const texts = rest.splice(0, row.isVariadic ? rest.length : 1);
      const [text] = texts;
      if (row.isRequired && text === undefined) return undefined;
      if (row.isVariadic) args[row.name] = texts;
      else if (text !== undefined) args[row.name] = addValue(row, text, undefined, clock);
    }
    return rest.length > 0 ? undefined : finishLine(command, flags, args, clock);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Adds the defaults of flags, and separates the flags of the output. */
export function finishLine(
  command: Command,
  given: Record<string, unknown>,
  args: Record<string, unknown>,
  clock: () => number,
): ParsedLine {
  const { json, quiet, verbose, color, ...flags } = given;
  const rows = flagRows({ ...command.flags, ...OUTPUT_FLAGS });
  for (const row of rows.values()) {
    if (row.name in given) {
      if (row.conflicts) refuseConflict(row, given, rows);
      if (row.implies) Object.assign(flags, { ...row.implies, ...flags });
    } else if (row.default !== undefined)
      flags[row.name] = addValue(row, row.default, undefined, clock);
    else if (row.required) throw new UsageError(`required option '${row.form}' not specified`);
  }
  return {
    args,
    flags,
    output: {
      json: json === true,
      quiet: quiet === true,
      verbose: verbose === true,
      color: color !== false,
    },
  };
}

function refuseConflict(
  row: FlagRow,
  given: Record<string, unknown>,
  rows: Map<string, FlagRow>,
): void {
  const isGiven = ({ name }: FlagRow) => row.conflicts?.includes(name) && name in given;
  const other = [...rows.values()].find(isGiven);
  if (other)
    throw new UsageError(`option '${row.form}' cannot be used with option '${other.form}'`);
}

/**
 * Parses the value of a flag or an argument.
 *
 * @param previous the value of the flag so far
 * @throws UsageError if a flag is repeated
 */
export function addValue(
  row: Argument & Partial<FlagRow>,
  text: string,
  previous: unknown,
  clock: () => number,
): unknown {
  const { choices, parse, repeatable, refused, long } = row;
  if (refused !== undefined) throw new UsageError(`${long} ${refused}`);
  if (!parse && choices?.includes(text) === false)
    throw new ArgumentError(`Allowed choices are ${choices.join(", ")}.`);
  const value = parse ? parse(text, clock) : text;
  if (repeatable) return [previous ?? [], value].flat();
  // commander would use the last value: of `--env test --env production`, one
  // is a mistake.
  if (previous !== undefined) throw new UsageError(`${long} is given more than once`);
  return value;
}
