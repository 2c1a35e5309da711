import { textField } from "../input/text-field.js";
import { LETTERS, letterDistance, matchRank, NO_MATCH, searchWords } from "../text/fuzzy.js";
import { type Choice, COMMAND_GROUPS, type Command } from "./command.js";
import type { CommandLine } from "./modes.js";
import type { State } from "./state.js";

/** Something that can stand in the command line: a command, or an argument of one. */
export interface Candidate extends Choice {
  /** The shown text: `open <place>`. */
  readonly label: string;
  /** Set for a command. */
  readonly command?: Command;
}

export interface Candidates {
  /** The command whose argument they are; undefined if they are commands. */
  readonly command: Command | undefined;
  /** The text before them: `open `. */
  readonly before: string;
  /** The input that they match. */
  readonly typed: string;
  /** The best first. */
  readonly fitting: readonly Candidate[];
  /** Index of the one that Enter runs and Tab completes to; undefined if that is the text as it is. */
  readonly selected: number | undefined;
}

/** Chooses a candidate, and takes back the completion of Tab. */
export function highlighted({ kind, query, listing }: CommandLine, chosen: number | undefined): CommandLine {
  return { kind, field: textField(query), query, listing, chosen };
}

// Computed once for each state: drawing it and the next key need the same.
const known = new WeakMap<State, Candidates>();

/** Candidates for the command line, given the input. */
export function candidatesOf(state: State, line: CommandLine, commands: readonly Command[]): Candidates {
  if (state.mode !== line) return findCandidates(state, line, commands);
  const candidates = known.get(state) ?? findCandidates(state, line, commands);
  known.set(state, candidates);
  return candidates;
}

function findCandidates(state: State, line: CommandLine, commands: readonly Command[]): Candidates {
  const { command, before, typed } = parseLine(line.query, commands);
  const all = command ? choicesOf(command, state, typed) : commandCandidates(commands);
  const fitting = ranked(all, typed);
  // Where other texts are accepted too, no candidate replaces the input.
  const isBest = typed !== "" && command?.accepts === undefined;
  const selected = line.chosen ?? (isBest ? 0 : undefined);
  return { command, before, typed, fitting, selected: fitting.length > 0 ? selected : undefined };
}

export interface ParsedLine {
  /** The command that the text names, with a space after it; undefined while the name is typed. */
  readonly command: Command | undefined;
  /** The text before `typed`. */
  readonly before: string;
  /** The argument, or the start of a name; without spaces around it. */
  readonly typed: string;
}

/** A command's name can have several words: `env add`. */
export function parseLine(text: string, commands: readonly Command[]): ParsedLine {
  const line = text.trimStart();
  const named = commands.filter(({ name }) => line.startsWith(`${name} `));
  const longest = named.reduce<Command | undefined>(
    (best, each) => (best && best.name.length > each.name.length ? best : each),
    undefined,
  );
  const command = longest ?? (/^\S\s/u.test(line) ? commandOfKey(line.charAt(0), commands) : undefined);
  if (!command) return { command, before: "", typed: line.trimEnd() };
  const word = longest ? command.name : line.charAt(0);
  return { command, before: `${word} `, typed: line.slice(word.length).trim() };
}

/** A command by its name, or by a key of one character: `:q`. */
export function findCommand(word: string, commands: readonly Command[]): Command | undefined {
  return commands.find(({ name }) => name === word) ?? commandOfKey(word, commands);
}

function commandOfKey(key: string, commands: readonly Command[]): Command | undefined {
  return key.length === 1 ? commands.find(({ keys }) => keys.includes(key)) : undefined;
}

/** In the order of the help. */
function commandCandidates(commands: readonly Command[]): readonly Candidate[] {
  return COMMAND_GROUPS.flatMap((group) => commands.filter((command) => command.group === group)).map((command) => {
    const { name, argument, help } = command;
    const [text, label] = argument === undefined ? [name, name] : [`${name} `, `${name} ${argument}`];
    return { text, label, help, command };
  });
}

function choicesOf({ choices }: Command, state: State, typed: string): readonly Candidate[] {
  const all = choices?.(state, typed) ?? [];
  const byText = new Map(
    all.map((each) => (typeof each === "string" ? { text: each } : each)).map((each) => [each.text, each]),
  );
  return Array.from(byText.values(), (choice) => ({ ...choice, label: choice.text }));
}

/** Better than any rank of a match: the text itself, or the key of a command. */
const EXACT = -1;

/** The candidates that match, those that match best first. */
function ranked(all: readonly Candidate[], typed: string): readonly Candidate[] {
  const words = searchWords(typed);
  if (words.length === 0) return all;
  const distance = (candidate: Candidate) => distanceOf(candidate, words);
  return all
    .map((candidate) => ({ candidate, rank: rankOf(candidate, typed, words) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((a, b) => a.rank - b.rank || (a.rank === LETTERS ? distance(a.candidate) - distance(b.candidate) : 0))
    .map(({ candidate }) => candidate);
}

function rankOf({ text, command }: Candidate, typed: string, words: readonly string[]): number {
  const name = command?.name ?? text;
  if (name === typed || (typed.length === 1 && command?.keys.includes(typed))) return EXACT;
  const lowered = name.toLowerCase();
  return words.reduce((worst, word) => Math.max(worst, matchRank(word, lowered)), 0);
}

/** Of those with letters in between, the one whose letters are closest is meant. */
function distanceOf({ text, command }: Candidate, words: readonly string[]): number {
  const lowered = (command?.name ?? text).toLowerCase();
  return words.reduce((sum, word) => sum + letterDistance(word, lowered), 0);
}
