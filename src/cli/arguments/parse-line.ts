import { secondsOf } from "../../kit/text/duration.js";
import { UsageError } from "../../kit/text/errors.js";
import type { OutputFlags } from "../output/context.js";
import {
  type Argument,
  argumentRows,
  type Command,
  type FlagRow,
  flagRows,
  OUTPUT_FLAGS,
} from "./command.js";

/** Thrown for an invalid value. commander adds the flag, and the value. */
export class ArgumentError extends UsageError {}

/** A command line, parsed: what a command is run with. */
export interface ParsedLine {
  args: Record<string, unknown>;
  flags: Record<string, unknown>;
  output: OutputFlags;
}

/** A word after a command. */
export interface Word {
  /** A flag in the form that all parsers read alike: `--long` or `--long=value`. */
  text: string;
  /** The flag, if the command has it. */
  row?: FlagRow | undefined;
  value?: string | undefined;
}

/** All flags that a call of a command can have, by each of their spellings. */
export function rowsOf(command: Command): Map<string, FlagRow> {
  const rows = new Map<string, FlagRow>();
  for (const row of flagRows({ ...command.flags, ...OUTPUT_FLAGS })) {
    rows.set(row.long, row);
    if (row.short !== undefined) rows.set(row.short, row);
  }
  return rows;
}

/**
 * Reads the words after a command: `-nqe test --cache A` as `--no-newline --quiet --env=test
 * --cache=86400 A`, and `--only A ls --json` as `--only=A -- ls --json` for a command that starts a
 * program, since --json is for ls.
 *
 * @throws UsageError if a time follows a flag whose value follows `=`: it hardly names a variable
 */
export function readWords(words: readonly string[], command: Command): Word[] {
  const startsProgram = command.arguments !== undefined && "<command...>" in command.arguments;
  const rows = rowsOf(command);
  const read: Word[] = [];
  const rest = [...words];
  for (let text = rest.shift(); text !== undefined; text = rest.shift()) {
    const isProgram = startsProgram && !text.startsWith("-");
    if (isProgram || text === "--") {
      if (isProgram) rest.unshift(text);
      read.push({ text: "--" });
      for (const own of rest) read.push({ text: own });
      break;
    }
    const letter = text.length > 2 ? rows.get(text.slice(0, 2)) : undefined;
    if (letter?.short) {
      rest.unshift(letter.placeholder ? text.slice(2) : `-${text.slice(2)}`);
      text = letter.short;
    }
    const end = text.indexOf("=");
    const row = rows.get(end < 0 ? text : text.slice(0, end));
    const value = row && (end < 0 ? takeValue(row, rest) : text.slice(end + 1));
    const completed = value === undefined ? row?.long : `${row?.long}=${value}`;
    read.push({ text: completed ?? text, row, value });
  }
  return read;
}

/** Takes the value of a flag from the words after it; `undefined` if it has none. */
function takeValue({ form, long, alone, placeholder }: FlagRow, rest: string[]) {
  const [next = ""] = rest;
  if (placeholder === undefined) return undefined;
  if (alone === undefined) return rest.shift();
  if (!form.includes("[=")) return next === "" || isFlag(next) ? alone : rest.shift();
  if (Number.isNaN(secondsOf(next))) return alone;
  throw new UsageError(`the ${placeholder} follows ${long} after =: ${long}=${next}`);
}

/** Whether a word is a flag for commander: `-` alone is an argument. */
function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}

/**
 * Parses the words after the command, as commander does but without loading it. Returns `undefined`
 * for a line that has a mistake or needs commander's rules, which then parses or reports it.
 */
export function parseLine(
  words: readonly Word[],
  command: Command,
  clock: () => number,
): ParsedLine | undefined {
  const given: Record<string, unknown> = {};
  const positionals: string[] = [];
  let isOver = false;
  try {
    for (const { text, row, value } of words) {
      if (isOver || !isFlag(text)) positionals.push(text);
      else if (text === "--") isOver = true;
      else if (!row || (value === undefined) !== (row.placeholder === undefined)) return undefined;
      else if (value === undefined) given[row.name] = !row.isNegative;
      else {
        const previous = given[row.name] === false ? undefined : given[row.name];
        given[row.name] = addValue(row, value, previous, clock);
      }
    }
    const args = parseArguments(command, positionals, clock);
    return args && finishLine(command, given, args);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Returns `undefined` for a wrong number of arguments. */
function parseArguments(command: Command, words: string[], clock: () => number) {
  const args: Record<string, unknown> = {};
  for (const row of argumentRows(command)) {
    if (row.isRequired && words.length === 0) return undefined;
    const text = words[0];
    if (row.isVariadic) args[row.name] = words.splice(0);
    else args[row.name] = text === undefined ? text : addValue(row, text, undefined, clock);
    words.shift();
  }
  return words.length > 0 ? undefined : args;
}

/**
 * Adds the defaults of flags, and separates those for the output.
 *
 * @throws UsageError for flags that exclude each other, and for a missing one
 */
export function finishLine(
  command: Command,
  given: Record<string, unknown>,
  args: Record<string, unknown>,
): ParsedLine {
  const { json, quiet, verbose, color = true, ...flags } = given;
  for (const row of rowsOf(command).values()) {
    if (row.name in given) {
      if (row.conflicts) refuseConflict(row, given, command);
      if (row.implies) Object.assign(flags, { ...row.implies, ...flags });
    } else if (row.default !== undefined)
      flags[row.name] = addValue(row, row.default, undefined, Date.now);
    else if (row.required) throw new UsageError(`required option '${row.form}' not specified`);
  }
  const { dryRun, values } = flags;
  return { args, flags, output: { json, quiet, verbose, color, dryRun, values } as OutputFlags };
}

function refuseConflict(row: FlagRow, given: Record<string, unknown>, command: Command): void {
  const isGiven = ({ name }: FlagRow) => row.conflicts?.includes(name) && name in given;
  const other = [...rowsOf(command).values()].find(isGiven);
  if (other)
    throw new UsageError(`option '${row.form}' cannot be used with option '${other.form}'`);
}

/**
 * Parses the value of a flag or an argument.
 *
 * @param previous the value of the flag so far
 * @throws ArgumentError; UsageError if a flag is repeated
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
  // commander would use the last value: of `--env test --env production`, one is a mistake.
  if (previous !== undefined) throw new UsageError(`${long} is given more than once`);
  return value;
}
