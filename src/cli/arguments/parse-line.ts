import { secondsOf } from "../../kit/text/duration.js";
import { UsageError } from "../../kit/text/errors.js";
import type { OutputFlags } from "../output/context.js";
import { argumentRows, type Command, type FlagRow, flagRows, OUTPUT_FLAGS } from "./command.js";
import { addValue } from "./flag-arguments.js";

/** A command line, parsed: what a command is run with. */
export interface ParsedLine {
  args: Record<string, unknown>;
  flags: Record<string, unknown>;
  output: OutputFlags;
}

const known = new WeakMap<Command, FlagRow[]>();

/** All flags that a call of a command can have. */
export function rowsOf(command: Command): FlagRow[] {
  const rows = known.get(command) ?? flagRows({ ...command.flags, ...OUTPUT_FLAGS });
  known.set(command, rows);
  return rows;
}

/**
 * Rewrites the words after a command so that all parsers read them alike: `-nqe test --cache A`
 * becomes `--no-newline --quiet --env=test --cache=86400 A`, and `--only A ls --json` becomes `--only=A -- ls --json`
 * for a command that starts a program, since --json is for ls.
 *
 * @throws UsageError if a time follows a flag whose value follows `=`: it hardly names a variable
 */
export function completeWords(words: readonly string[], command: Command): string[] {
  const startsProgram = command.arguments !== undefined && "<command...>" in command.arguments;
  const rows = rowsOf(command);
  const completed: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const isProgram = startsProgram && !word.startsWith("-");
    if (isProgram) completed.push("--");
    if (isProgram || word === "--") return [...completed, word, ...rest];
    const letters = rows.find(({ short }) => short !== undefined && word?.startsWith(short));
    if (letters && word.length > 2) {
      rest.unshift(letters.placeholder ? word.slice(2) : `-${word.slice(2)}`);
      word = word.slice(0, 2);
    }
    const row = rows.find(({ short, long }) => word === short || word === long);
    const value = row && takeValue(row, rest);
    completed.push((row?.long ?? word) + (value === undefined ? "" : `=${value}`));
  }
  return completed;
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

/**
 * Parses the words after the command, as commander does but without loading it. Returns `undefined`
 * for a line that has a mistake or needs commander's rules, which then parses or reports it.
 */
export function parseLine(
  words: readonly string[],
  command: Command,
  clock: () => number,
): ParsedLine | undefined {
  try {
    const { given, positionals } = readFlags(words, rowsOf(command), clock);
    return finishLine(command, given, parseArguments(command, positionals, clock));
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Adds the defaults of flags, and separates those for the output. */
export function finishLine(
  command: Command,
  given: Record<string, unknown>,
  args: Record<string, unknown>,
): ParsedLine {
  const { json, quiet, verbose, color = true, ...flags } = given;
  for (const row of rowsOf(command)) {
    if (row.implies && row.name in given) Object.assign(flags, { ...row.implies, ...flags });
    if (row.default !== undefined && !(row.name in given))
      flags[row.name] = addValue(row, row.default, undefined, () => 0);
  }
  const { dryRun, values } = flags;
  return { args, flags, output: { json, quiet, verbose, color, dryRun, values } as OutputFlags };
}

const leaveToCommander = () => new UsageError("commander reports it");

/**
 * Reads completed words: a flag is `--long` or `--long=value`.
 *
 * @throws UsageError for anything that commander should see
 */
function readFlags(words: readonly string[], rows: readonly FlagRow[], clock: () => number) {
  const end = words.indexOf("--");
  const own = end < 0 ? words : words.slice(0, end);
  const given: Record<string, unknown> = {};
  for (const word of own.filter(isFlag)) {
    const { row, value } = findFlag(word, rows);
    if (!row || (value === undefined) !== (row.placeholder === undefined)) throw leaveToCommander();
    const previous = given[row.name] === false ? undefined : given[row.name];
    given[row.name] = value === undefined ? !row.isNegative : addValue(row, value, previous, clock);
  }
  const isWrong = ({ name, required, conflicts }: FlagRow) =>
    name in given ? conflicts?.some((other) => other in given) : required;
  if (rows.some(isWrong)) throw leaveToCommander();
  const others = own.filter((word) => !isFlag(word));
  return { given, positionals: end < 0 ? others : [...others, ...words.slice(end + 1)] };
}

function findFlag(word: string, rows: readonly FlagRow[]) {
  const [long = "", ...rest] = word.split("=");
  const value = rest.length > 0 ? rest.join("=") : undefined;
  return { row: rows.find((row) => row.long === long), value };
}

/** Whether a word is a flag for commander: `-` alone is an argument. */
function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith("-");
}

function parseArguments(
  command: Command,
  words: readonly string[],
  clock: () => number,
): Record<string, unknown> {
  const rows = argumentRows(command);
  const isMissing = rows.some(({ isRequired }, index) => isRequired && words.length <= index);
  if (isMissing || (words.length > rows.length && !rows.at(-1)?.isVariadic))
    throw leaveToCommander();
  return Object.fromEntries(
    rows.map((row, index) => {
      if (row.isVariadic) return [row.name, words.slice(index)];
      const text = words[index];
      return [row.name, text === undefined ? text : addValue(row, text, undefined, clock)];
    }),
  );
}

/** The texts of a command's flags in words that may have mistakes: those of an unfinished line. */
export function findFlags(words: readonly string[], command: Command): Record<string, unknown> {
  const found = completeWords(words, command).map((word) => findFlag(word, rowsOf(command)));
  return Object.fromEntries(found.flatMap(({ row, value }) => (row ? [[row.name, value]] : [])));
}
